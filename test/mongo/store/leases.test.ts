import { describe, expect, it } from '@jest/globals';
import { createLeases, LeaseLostError } from '../../../server/mongo/leases.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { createInLeasedTransaction, createInTransaction } from '../../../server/mongo/transactions.js';
import { testConnection } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';
import { waitFor } from '../../support/wait-for.js';

const connection = await testConnection();
instance('prepares');
await prepareCollections(connection);

const documents = () => connection.collection<{ _id: string; fences: number; expiresAt: Date }>('leases');

function instance(owner: string) {
  return createLeases({ connection, owner, logger: silentLogger });
}

describe('a lease', () => {
  it('is held by one at a time, each with a larger token; the other gets the start time', async () => {
    const [a, b] = [instance('a'), instance('b')];
    await a.seed(['one']);
    const before = Date.now();
    const outcome = await a.run('one', 60_000, async ({ token }) => ({
      token,
      other: await b.run('one', 60_000, async () => 'never'),
    }));
    expect(outcome).toMatchObject({ ran: true, value: { token: 1, other: { ran: false } } });
    const { startedAt } = (outcome as { value: { other: { startedAt: string } } }).value.other;
    expect(Math.abs(Date.parse(startedAt) - before)).toBeLessThan(5_000);
    expect(await b.run('one', 60_000, async ({ token }) => token)).toEqual({ ran: true, value: 2 });
  });

  it('that was taken over lets its old holder commit nothing', async () => {
    const inLeasedTransaction = createInLeasedTransaction(createInTransaction(connection));
    const [slow, fast] = [instance('slow'), instance('fast')];
    await slow.seed(['fenced']);
    await slow.run('fenced', 5_000, async (lease) => {
      await documents().updateOne({ _id: 'fenced' }, { $set: { expiresAt: new Date(0) } });
      await fast.run('fenced', 5_000, async () => undefined);
      const late = inLeasedTransaction(lease, async (session) => {
        await documents().updateOne({ _id: 'fenced' }, { $inc: { fences: 1_000 } }, { session });
      });
      await expect(late).rejects.toBeInstanceOf(LeaseLostError);
    });
    expect((await documents().findOne({ _id: 'fenced' }))?.fences).toBe(0);
  });

  it('is renewed while its work runs, and aborts the work when it is lost', async () => {
    const leases = instance('a');
    await leases.seed(['renewed']);
    const termMs = 2_000;
    const expiresAtMs = async () => (await leases.read('renewed'))?.expiresAt.getTime() ?? 0;
    await leases.run('renewed', termMs, async (lease) => {
      const first = await expiresAtMs();
      await waitFor(async () => expect(await expiresAtMs()).toBeGreaterThan(first + termMs), {
        timeout: 10_000,
      });
      expect(lease.signal.aborted).toBe(false);
      // Listens before the lease is lost: on a busy machine that is noticed before the update has been answered.
      const lost = new Promise<void>((resolve) => lease.signal.addEventListener('abort', () => resolve()));
      await documents().updateOne({ _id: 'renewed' }, { $inc: { token: 1 } });
      await lost;
    });
  });

  it('is released by a stop, which waits for its work and grants no other lease', async () => {
    const leases = instance('stopping');
    await leases.seed(['stopped', 'late']);
    let finished = false;
    let begun = false;
    const running = leases.run('stopped', 60_000, async (lease) => {
      begun = true;
      await new Promise<void>((resolve) => lease.signal.addEventListener('abort', () => resolve()));
      finished = true;
    });
    await waitFor(async () => expect(await begun).toBe(true), { timeout: 10_000 });
    await leases.stop();
    expect(finished).toBe(true);
    await running;
    expect((await instance('next').run('stopped', 60_000, async () => 1)).ran).toBe(true);
    await expect(leases.run('late', 60_000, async () => 1)).rejects.toBeInstanceOf(LeaseLostError);
  });

  it('is not given to an instance that is not fit for work, while what it does under another one goes on', async () => {
    let fit = true;
    const throwIfUnfit = () => {
      if (!fit) throw new Error('a wrong clock');
    };
    const leases = createLeases({ connection, owner: 'unfit', throwIfUnfit, logger: silentLogger });
    await leases.seed(['begun', 'refused']);
    const outcome = await leases.run('begun', 60_000, async ({ signal }) => {
      fit = false;
      await expect(leases.run('refused', 60_000, async () => 1)).rejects.toThrow('a wrong clock');
      return signal.aborted;
    });
    expect(outcome).toEqual({ ran: true, value: false });
    expect((await leases.read('refused'))?.token).toBe(0);
  });

  it('is free at once when its work ends or throws, even if the clock of the database is set back', async () => {
    const leases = instance('a');
    await leases.seed(['ended']);
    await leases.run('ended', 60_000, async () => 1);
    expect((await leases.read('ended'))?.expiresAt).toEqual(new Date(0));
    await expect(leases.run('ended', 60_000, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect((await leases.run('ended', 60_000, async () => 1)).ran).toBe(true);
  });
});
