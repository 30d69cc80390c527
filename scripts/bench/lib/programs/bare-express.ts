/** A bare Express app, which sends the answers that it was given by `res.json`. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import express from 'express';
import type { RecordedAnswers } from '../bare.js';
import { serve } from './serve.js';

const recorded = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as RecordedAnswers;
// The recorded answers have these headers already.
const app = express().disable('x-powered-by').disable('etag');
for (const [path, { status, headers, body }] of Object.entries(recorded)) {
  const value = JSON.parse(Buffer.from(body, 'base64').toString()) as unknown;
  const { 'content-length': _length, ...others } = headers;
  app.get(path, (_request, response) => response.status(status).set(others).json(value));
}
serve(createServer(app));
