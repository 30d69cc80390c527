/** Bare node:http which draws from the client's limit before it sends the recorded answer. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { mongo } from 'mongoose';
import type { RecordedAnswers } from '../lib/bare.js';
import { serve } from '../lib/programs/serve.js';
import { type BareWindow, draw, prepareWindows } from './draw.js';

const limit = 90;
const [file = '', uri = ''] = process.argv.slice(2);
const recorded = JSON.parse(readFileSync(file, 'utf8')) as RecordedAnswers;
const [answer] = Object.values(recorded);
if (answer === undefined) throw new Error('no recorded answer');
const { status, headers } = answer;
const body = Buffer.from(answer.body, 'base64');
const client = await mongo.MongoClient.connect(uri, { maxPoolSize: 50 });
const windows = client.db().collection<BareWindow>('bare_windows');
await prepareWindows(windows);

serve(
  createServer(async (request, response) => {
    const points = await draw(windows, String(request.headers['x-forwarded-for']));
    response.writeHead(points <= limit ? status : 429, headers).end(body);
  }),
);
