import type { ServerResponse } from 'node:http';
import type { Reply } from './examine.js';

/**
 * How the oracle treats one submission.
 *
 * - `honest`: examines it and answers
 * - `fail`: 500, not examined
 * - `hang`: neither examined nor ever answered
 * - `lose`: examined, perhaps taken, but the connection breaks before the answer
 * - `late`: examined, answered after `lateMs`
 * - `twice`: examined, answered twice over: the second answer waits in the connection for the next question
 */
export type Manner = 'honest' | 'fail' | 'hang' | 'lose' | 'twice' | { lateMs: number };

/** Answers in that manner; `examine` is called where the manner says so, at once. */
export function treat(manner: Manner, response: ServerResponse, examine: () => Reply): void {
  if (manner === 'hang') return;
  if (manner === 'fail') {
    send(response, { status: 500, body: { code: 'internal', message: 'The oracle failed.' } });
    return;
  }
  const reply = examine();
  if (manner === 'honest') send(response, reply);
  else if (manner === 'lose') response.destroy();
  else if (manner === 'twice') sendTwice(response, reply);
  else setTimeout(() => send(response, reply), manner.lateMs).unref();
}

export function send(response: ServerResponse, { status, body }: Reply): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function sendTwice(response: ServerResponse, { status, body }: Reply): void {
  const text = JSON.stringify(body);
  const whole = `HTTP/1.1 ${status} Again\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  response.socket?.write(whole + whole);
}
