import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '../../contract/client/create-client.js';
import { unwrap } from '../../contract/client/index.js';
import type { ServiceProcess } from '../fixtures/edge/service-process.js';
import { run } from '../fixtures/faults/calls.js';
import {
  beginOffRamp,
  type SeveralInstances,
  startSeveral,
  statusOf,
} from '../fixtures/faults/several-instances.js';
import { newClient } from '../fixtures/new-client.js';
import { testAdminKey } from '../support/app.js';
import { waitFor } from '../support/wait-for.js';

/** One second each for the versions and for the response cache, as documented, plus a margin for a busy machine. */
const knownWithinMs = 2_000 + 4_000;
const params = { corridor: 'usdc-ngn' };

let service: SeveralInstances;
/** Ends every stream. */
const over = new AbortController();
beforeAll(async () => {
  service = await startSeveral(3);
}, 180_000);
afterAll(async () => {
  over.abort();
  await service?.stop();
}, 60_000);

const clientOf = ({ url }: ServiceProcess) => createClient(url, { headers: newClient() });

async function invalidate({ url }: ServiceProcess): Promise<void> {
  const { status } = await fetch(`${url}/api/admin/cache/invalidate`, {
    method: 'POST',
    headers: { 'x-admin-key': testAdminKey, 'content-type': 'application/json' },
    body: JSON.stringify({ scope: 'rates' }),
  });
  expect(status).toBe(200);
}

async function quotedAt(instance: ServiceProcess): Promise<string> {
  return unwrap(await clientOf(instance).rates.getRates({ params, query: { amount: '123' } })).asOf;
}

describe('an invalidation on one of three instances', () => {
  it('has every instance, and the streams on every instance, ask the anchors again', async () => {
    const before = await Promise.all(service.instances.map(quotedAt));
    const streamed = service.instances.map((instance) => {
      const seen: string[] = [];
      const stream = clientOf(instance).rates.stream(
        { params, query: { amount: '123' } },
        { signal: over.signal },
      );
      const reading = (async () => {
        for await (const event of stream) if (event.event === 'rates') seen.push(event.data.asOf);
      })();
      reading.catch(() => undefined);
      return seen;
    });
    await waitFor(() => {
      for (const seen of streamed) expect(seen.length).toBeGreaterThan(0);
    });
    const [first] = service.instances;
    if (first === undefined) throw new Error('no instance runs');
    await invalidate(first);
    const invalidatedAt = Date.now();
    for (const [place, instance] of service.instances.entries()) {
      await waitFor(async () => expect(await quotedAt(instance)).not.toBe(before[place]), {
        timeout: knownWithinMs,
      });
      await waitFor(() => expect(streamed[place]?.at(-1)).not.toBe(before[place]), {
        timeout: knownWithinMs,
      });
    }
    // Quotes are fresh for 15 s: only the invalidation can have caused new requests to the anchors.
    expect(Date.now() - invalidatedAt).toBeLessThan(12_000);
  }, 60_000);
});

describe('a stream of an intent', () => {
  it('tells the outcome, and the same steps, on each of three instances, whichever of them caused it', async () => {
    const [first, second] = service.instances;
    if (first === undefined || second === undefined) throw new Error('no instance runs');
    const offRamp = await beginOffRamp(first, service.anchors);
    const { intentHash } = offRamp;
    const told = service.instances.map(async (instance) => {
      const stream = clientOf(instance).intents.stream({ params: { intentHash } }, { signal: over.signal });
      for await (const { data } of stream) if (data.status === 'settled') return data.steps;
      throw new Error('the stream ended');
    });
    offRamp.complete();
    await waitFor(
      async () => {
        await run(second, 'reconcile');
        expect(await statusOf(first, offRamp)).toBe('settled');
      },
      { timeout: 60_000, interval: 500 },
    );
    const [steps, ...others] = await Promise.all(told);
    expect(steps?.[0]?.kind).toBe('registered');
    expect(steps?.at(-1)?.kind).toBe('settled');
    for (const other of others) expect(other).toEqual(steps);
  }, 90_000);
});
