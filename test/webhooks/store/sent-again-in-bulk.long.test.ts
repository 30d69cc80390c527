import { describe, expect, it } from '@jest/globals';
import { closedAfterEach, sequencesOf } from '../../fixtures/webhooks/closing.js';
import type { DeliveryFixture } from '../../fixtures/webhooks/delivery-fixture.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const { openWithReceiver } = closedAfterEach(uri);
const hour = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms);

/** Lets every retry of the waiting deliveries become due and fail, so that they are exhausted. */
async function exhaust(fixture: DeliveryFixture): Promise<void> {
  await fixture.deliverAllDue();
  for (const seconds of [10, 60, 360]) {
    await fixture.age(seconds * 1_000);
    await fixture.deliverAllDue();
  }
}

const statesOf = async (fixture: DeliveryFixture, id: string) =>
  (await fixture.deliveriesOf(id)).map(({ state }) => state).reverse();

/** Two deliveries that were exhausted two hours ago, two exhausted just now, and one that was delivered. */
async function failedTwice() {
  const opened = await openWithReceiver();
  const { to, fixture, status } = opened;
  const { id } = await fixture.register(to.origin);
  status.now = 503;
  await fixture.emitTicks(1, 2);
  await exhaust(fixture);
  await fixture.age(2 * hour);
  await fixture.emitTicks(3, 4);
  await exhaust(fixture);
  status.now = 200;
  await fixture.emitTicks(5);
  await fixture.deliverAllDue();
  to.received.length = 0;
  return { ...opened, id };
}

describe('sending again what failed since a time', () => {
  it('sends what failed since then and nothing else', async () => {
    const { to, fixture, id } = await failedTwice();
    expect(await fixture.log.resendFailed(id, ago(hour))).toEqual({ resent: 2, more: false });
    await fixture.deliverAllDue();
    expect(sequencesOf(to).sort()).toEqual([3, 4]);
    expect(await statesOf(fixture, id)).toEqual([
      ...Array(2).fill('exhausted'),
      ...Array(3).fill('delivered'),
    ]);
  });

  it('sends nothing a second time for the same time, also after another failure; a later time does', async () => {
    const { to, fixture, id, status } = await failedTwice();
    status.now = 503;
    const since = ago(6 * hour);
    expect(await fixture.log.resendFailed(id, since)).toEqual({ resent: 4, more: false });
    expect(await fixture.log.resendFailed(id, since)).toEqual({ resent: 0, more: false });
    // `exhaust` moves stored times back, so the given time must move with them.
    await exhaust(fixture);
    const aged = new Date(since.getTime() - 430_000);
    expect(await statesOf(fixture, id)).toEqual([...Array(4).fill('exhausted'), 'delivered']);
    expect(await fixture.log.resendFailed(id, aged)).toEqual({ resent: 0, more: false });
    to.received.length = 0;
    status.now = 200;
    expect(await fixture.log.resendFailed(id, ago(300_000))).toEqual({ resent: 4, more: false });
    await fixture.deliverAllDue();
    expect(sequencesOf(to).sort()).toEqual([1, 2, 3, 4]);
  });

  it('sends each delivery once where two calls are made at the same time', async () => {
    const { to, fixture, id } = await failedTwice();
    const since = ago(6 * hour);
    const both = await Promise.all([0, 1].map(() => fixture.log.resendFailed(id, since)));
    expect(both.reduce((sum, { resent }) => sum + resent, 0)).toBe(4);
    await fixture.deliverAllDue();
    expect(sequencesOf(to).sort()).toEqual([1, 2, 3, 4]);
  });

  it('takes no more than the limit of one call, what failed first in front, and says that there is more', async () => {
    const { to, fixture, id } = await failedTwice();
    const since = ago(6 * hour);
    const sendAgain = () => {
      const failed = { webhookId: id, since, limit: 2, nowMs: Date.now() };
      return fixture.store.sendFailedAgain(failed);
    };
    expect(await sendAgain()).toEqual({ resent: 2, more: true });
    await fixture.deliverAllDue();
    expect(sequencesOf(to).sort()).toEqual([1, 2]);
    expect(await sendAgain()).toEqual({ resent: 2, more: false });
    await fixture.deliverAllDue();
    expect(sequencesOf(to).sort()).toEqual([1, 2, 3, 4]);
  });

  it('leaves out tests, and holds the others while the webhook is disabled', async () => {
    const { to, fixture, status } = await openWithReceiver();
    const { id } = await fixture.register(to.origin);
    status.now = 410;
    await fixture.log.sendTest(id, undefined);
    await fixture.deliverAllDue();
    await fixture.emitTicks(7);
    await fixture.deliverAllDue();
    to.received.length = 0;
    status.now = 200;
    expect(await fixture.log.resendFailed(id, ago(hour))).toEqual({ resent: 1, more: false });
    await fixture.deliverAllDue();
    expect(to.received).toEqual([]);
    expect((await fixture.log.list(id, { state: 'held' })).items).toHaveLength(1);
    await fixture.webhooks.update(id, { enabled: true });
    await fixture.deliverAllDue();
    expect(sequencesOf(to)).toEqual([7]);
  });
});
