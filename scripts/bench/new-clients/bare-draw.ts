/**
 * Bare node:http which draws from the client's limit before it sends the recorded answer. Clients that come while a
 * batch of draws is being sent make up the next one: one update and one query, with write concern majority. With `open`,
 * the update of a batch only opens windows.
 */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { mongo } from 'mongoose';
import type { RecordedAnswers } from '../lib/bare.js';
import { serve } from '../lib/programs/serve.js';
import { type BareWindow, draw, drawn, open } from './draw.js';

const [file = '', uri = '', how = ''] = process.argv.slice(2);
/** The update for the keys of a batch. */
const update = how === 'open' ? open : draw;
const recorded = JSON.parse(readFileSync(file, 'utf8')) as RecordedAnswers;
const [answer] = Object.values(recorded);
if (answer === undefined) throw new Error('no recorded answer');
const body = Buffer.from(answer.body, 'base64');
const mongoClient = await mongo.MongoClient.connect(uri, { writeConcern: { w: 'majority' } });
const windows = mongoClient.db().collection<BareWindow>('bare_windows');

const maxClientsOfBatch = 200;
const waiting = new Map<string, ServerResponse[]>();
let sending = false;

async function sendBatches(): Promise<void> {
  while (waiting.size > 0) {
    const batch = [...waiting].slice(0, maxClientsOfBatch);
    for (const [client] of batch) waiting.delete(client);
    for (const { _id, granted } of await drawAll(batch.map(([client]) => client))) {
      const responses = batch.find(([client]) => client === _id)?.[1] ?? [];
      for (const response of responses)
        response.writeHead(granted > 0 ? (answer?.status ?? 500) : 429, answer?.headers).end(body);
    }
  }
  sending = false;
}

async function drawAll(clients: readonly string[]): Promise<BareWindow[]> {
  const [only] = clients;
  if (only !== undefined && clients.length === 1) {
    const window = await windows.findOneAndUpdate({ _id: only }, draw, drawn);
    return window === null ? [] : [window];
  }
  await windows.bulkWrite(
    clients.map((_id) => ({ updateOne: { filter: { _id }, update, upsert: true } })),
    { ordered: false },
  );
  return windows.find({ _id: { $in: [...clients] } }, { projection: drawn.projection }).toArray();
}

serve(
  createServer((request, response) => {
    const client = String(request.headers['x-forwarded-for']);
    const known = waiting.get(client);
    if (known === undefined) waiting.set(client, [response]);
    else known.push(response);
    if (sending) return;
    sending = true;
    setImmediate(sendBatches);
  }),
);
