import type { AddressInfo } from 'node:net';
import express from 'express';
import { isKnown, readCanned } from './canned.js';

/** Express as it comes, one route for each path, nothing before them. */
const app = express();
app.disable('x-powered-by');
app.disable('etag');
for (const [path, answer] of readCanned()) {
  app.get(path, (req, res) => {
    if (isKnown(answer, req.headers['if-none-match'])) {
      const { 'content-type': _type, 'content-length': _length, ...rest } = answer.headers;
      res.status(304).set(rest).end();
      return;
    }
    res.set(answer.headers).end(answer.body);
  });
}
const server = app.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('SIGTERM', () => process.exit(0));
