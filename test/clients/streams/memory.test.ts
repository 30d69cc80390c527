import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { createClient } from '../../../contract/client/index.js';
import { examples } from '../../../contract/examples/index.js';
import { eventText } from './scripted-streams.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('a stream keeps no chunk that its connection brought before', async () => {
  const heartbeats = 200;
  const chunks: WeakRef<Uint8Array>[] = [];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const isLast = chunks.length === heartbeats;
        const text = isLast ? eventText('rates', examples.rates.getRates.answer) : ':\n\n';
        const chunk = new TextEncoder().encode(text);
        chunks.push(new WeakRef(chunk));
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { 'content-type': 'text/event-stream' };
  const client = createClient('http://127.0.0.1', { fetch: async () => new Response(body, { headers }) });
  const stream = client.rates.stream({ params: { corridor: 'usdc-ngn' } });
  await stream.next();
  // A WeakRef keeps its target alive until the end of the turn in which it was made.
  await setImmediate();
  collectGarbage();
  const kept = chunks.filter((chunk) => chunk.deref() !== undefined);
  expect(chunks.length).toBeGreaterThan(heartbeats);
  expect(kept.length).toBeLessThan(5);
  await stream.return();
});
