import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isKnown, readCanned } from './canned.js';

/** The least that node:http can do for the same bytes. */
const answers = readCanned();
const server = createServer((req, res) => {
  const answer = answers.get(req.url ?? '');
  if (answer === undefined) {
    res.writeHead(404).end();
    return;
  }
  if (isKnown(answer, req.headers['if-none-match'])) {
    const { 'content-type': _type, 'content-length': _length, ...rest } = answer.headers;
    res.writeHead(304, rest).end();
    return;
  }
  res.writeHead(200, answer.headers).end(answer.body);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('SIGTERM', () => process.exit(0));
