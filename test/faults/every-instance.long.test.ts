import { afterAll, describe, expect, it } from '@jest/globals';
import { createClient } from '../../contract/client/create-client.js';
import type { ServiceProcess } from '../fixtures/edge/service-process.js';
import { beginOffRamp, run, startSeveral, statusOf } from '../fixtures/faults/several-instances.js';
import { newClient } from '../fixtures/new-client.js';
import { waitFor } from '../support/wait-for.js';

/** Ends every stream. */
const over = new AbortController();
const service = await startSeveral(3);
afterAll(async () => {
  over.abort();
  await service?.stop();
}, 60_000);

const clientOf = ({ url }: ServiceProcess) => createClient(url, { headers: newClient() });

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
