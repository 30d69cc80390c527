import type { Response } from 'express';
import type { Reply } from './examine.js';

/**
 * How the oracle behaves towards one submission.
 *
 * - `honest`: examines it and answers
 * - `fail`: answers 500 without examining it
 * - `hang`: neither examines it nor ever answers
 * - `lose`: examines it and perhaps accepts it, but the connection breaks before the answer
 * - `twice`: examines it and answers twice: the second answer waits in the connection for the next request
 * - `{ lateMs }`: examines it and answers after this time
 */
export type Behavior = 'honest' | 'fail' | 'hang' | 'lose' | 'twice' | { lateMs: number };

/** Answers with this behavior; `examine` is called at once if the behavior includes it. */
export function behave(behavior: Behavior, response: Response, examine: () => Reply): void {
  if (behavior === 'hang') return;
  if (behavior === 'fail') {
    response.status(500).json({ code: 'internal', message: 'The oracle failed.' });
    return;
  }
  const { status, body } = examine();
  if (behavior === 'honest') response.status(status).json(body);
  else if (behavior === 'lose') response.destroy();
  else if (behavior === 'twice') sendTwice(response, { status, body });
  else setTimeout(() => response.status(status).json(body), behavior.lateMs).unref();
}

function sendTwice(response: Response, { status, body }: Reply): void {
  const text = JSON.stringify(body);
  const whole = `HTTP/1.1 ${status} Again\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  response.socket?.write(whole + whole);
}
