import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventExamples } from '../../contract/examples/events.js';
import { deliveryHeaders } from '../../server/deliveries/signed-headers.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const secret = 'the secret of the receiver test';
let running: ChildProcess | undefined;
afterEach(() => {
  running?.kill();
  running = undefined;
});

/** Starts the script as a person does, on a free port. */
async function start(...args: string[]) {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'scripts/webhook-receiver.ts', '--port', '0', ...args],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  running = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const until = async (pattern: RegExp) => {
    for (let tries = 0; tries < 500; tries += 1) {
      const found = pattern.exec(output);
      if (found !== null) return found;
      await new Promise((done) => setTimeout(done, 20));
    }
    throw new Error(`it never printed ${pattern}: ${output}`);
  };
  const url = (await until(/http:\/\/127\.0\.0\.1:\d+\//))[0];
  return { url, until, output: () => output };
}

function signed(eventId: string, signedBy: string) {
  const body = JSON.stringify({
    event: 'publisher.tick',
    id: eventId,
    createdAt: new Date().toISOString(),
    data: eventExamples['publisher.tick'],
  });
  const headers = deliveryHeaders({
    event: 'publisher.tick',
    eventId,
    body,
    test: true,
    secrets: [signedBy],
    timestampSeconds: Math.floor(Date.now() / 1_000),
  });
  return { method: 'POST', body, headers };
}

describe('scripts/webhook-receiver.ts', () => {
  it('prints deliveries that verify, marks repeated ones, and refuses the others', async () => {
    const receiver = await start('--secret', secret);
    const id = 'evt_test0123456789abcdef';
    expect((await fetch(receiver.url, signed(id, secret))).status).toBe(200);
    await receiver.until(/publisher\.tick evt_test0123456789abcdef \(test\)\n {2}\{"sequence":42/);
    expect((await fetch(receiver.url, signed(id, secret))).status).toBe(200);
    await receiver.until(/\(test, again\)/);
    expect((await fetch(receiver.url, signed(id, `${secret}.`))).status).toBe(401);
    await receiver.until(/refused: X-Fairlead-Signature does not match the body/);
    expect((await fetch(receiver.url, { method: 'POST', body: 'x'.repeat(70_000) })).status).toBe(413);
    expect(receiver.output()).not.toContain(secret);
  });

  it('answers with the status given by --answer', async () => {
    const receiver = await start('--answer', '410');
    await receiver.until(/secret only-for-trying-out-webhooks/);
    const { url } = receiver;
    expect((await fetch(url, signed('evt_0123456789abcdef', 'only-for-trying-out-webhooks'))).status).toBe(
      410,
    );
  });
});
