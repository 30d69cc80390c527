import { describe, expect, it } from '@jest/globals';
import { verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import { closedAfterEach, sequencesOf } from '../../fixtures/webhooks/closing.js';
import { type DeliveryFixture, until } from '../../fixtures/webhooks/delivery-fixture.js';

const { openTowards, subscribed } = closedAfterEach();

describe('sending a delivery again', () => {
  it('makes four attempts anew, with the same id and body and the present secret', async () => {
    const { to, fixture, status, id } = await subscribed();
    status.now = 503;
    await fixture.emitTicks(1);
    await exhaust(fixture);
    const exhausted = (await fixture.deliveriesOf(id))[0];
    expect(exhausted).toMatchObject({ state: 'exhausted', nextAttemptAt: null });

    await fixture.webhooks.rotateSecret(id, { secret: 'the secret after that one', overlapSeconds: 0 });
    const again = await fixture.log.resend(id, exhausted?.id ?? '');
    expect(again).toMatchObject({ state: 'pending', settledAt: null });
    await fixture.deliverAllDue();
    for (const seconds of [10, 60]) {
      await fixture.age(seconds * 1_000);
      await fixture.deliverAllDue();
    }
    status.now = 204;
    await fixture.age(360_000);
    await fixture.deliverAllDue();
    const delivered = (await fixture.deliveriesOf(id))[0];
    expect(delivered).toMatchObject({ state: 'delivered', id: exhausted?.id, eventId: exhausted?.eventId });
    expect(delivered?.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(to.received.map(({ body }) => body)).size).toBe(1);
    const last = to.received.at(-1);
    verifyWebhook({
      body: last?.body ?? '',
      headers: last?.headers ?? {},
      secret: 'the secret after that one',
    });
    expect(to.faults).toEqual([]);
  });

  it('brings forward a delivery that waits, without granting it more attempts', async () => {
    const { to, fixture, status, id, deliver } = await subscribed();
    status.now = 500;
    await deliver(1);
    const waiting = (await fixture.deliveriesOf(id))[0];
    for (let count = 0; count < 5; count += 1) {
      await fixture.log.resend(id, waiting?.id ?? '');
      await fixture.deliverAllDue();
      if ((await fixture.deliveriesOf(id))[0]?.state === 'exhausted') break;
    }
    expect(to.received).toHaveLength(4);
  });

  it('grants four new attempts where the last one was lost with the process that had claimed it', async () => {
    const { to, fixture, id, deliver } = await subscribed();
    await deliver(1);
    const deliveries = fixture.connection.collection('deliveries');
    const lapsed = {
      state: 'pending',
      owner: 'gone',
      attempt: 4,
      lastAttempt: 4,
      settledAt: null,
    };
    const claimedAt = new Date(Date.now() - 600_000);
    await deliveries.updateOne({ webhookId: id }, { $set: { ...lapsed, claimedAt, due: claimedAt } });
    const delivery = (await fixture.deliveriesOf(id))[0];
    await fixture.log.resend(id, delivery?.id ?? '');
    expect(await deliveries.findOne({ webhookId: id })).toMatchObject({ lastAttempt: 8 });
    await fixture.deliverAllDue();
    expect((await fixture.deliveriesOf(id))[0]).toMatchObject({ state: 'delivered' });
    expect(to.received).toHaveLength(2);
  });

  it('goes past a backlog, and to a webhook that is disabled', async () => {
    const { to, fixture, status, id, deliver } = await subscribed();
    await deliver(1);
    status.now = 400;
    await deliver(2);
    status.now = 200;
    await deliver(3, 4, 5);
    const first = (await fixture.log.list(id, { state: 'delivered' })).items[0];
    await fixture.log.resend(id, first?.id ?? '');
    const test = await fixture.log.sendTest(id, undefined);
    expect(test).toMatchObject({ state: 'pending', test: true });
    await fixture.deliverAllDue();
    expect(sequencesOf(to).slice(2).sort()).toEqual([1, 42]);
    expect((await fixture.log.list(id, { state: 'held' })).items).toHaveLength(3);
  });

  it('leaves alone what is being sent at this moment', async () => {
    let answer = () => {};
    const { to: slow, fixture } = await openTowards((response) => {
      answer = () => response.writeHead(200).end();
    });
    const { id } = await fixture.register(slow.origin);
    await fixture.emitTicks(1);
    await fixture.deliveries.work();
    await until(() => slow.received.length > 0);
    const [delivery] = await fixture.deliveriesOf(id);
    expect(delivery).toMatchObject({ state: 'pending', nextAttemptAt: null, attempts: [] });
    expect(await fixture.log.resend(id, delivery?.id ?? '')).toMatchObject({ nextAttemptAt: null });
    answer();
    await fixture.deliverAllDue();
    expect(slow.received).toHaveLength(1);
    expect((await fixture.deliveriesOf(id))[0]).toMatchObject({ state: 'delivered' });
  });
});

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
  const opened = await subscribed();
  const { to, fixture, status, deliver } = opened;
  status.now = 503;
  await fixture.emitTicks(1, 2);
  await exhaust(fixture);
  await fixture.age(2 * hour);
  await fixture.emitTicks(3, 4);
  await exhaust(fixture);
  status.now = 200;
  await deliver(5);
  to.received.length = 0;
  return opened;
}

describe('sending again what failed since a time', () => {
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

  it('takes no more than the limit of one call, what failed first in front, and says that there is more', async () => {
    const { to, fixture, id } = await failedTwice();
    const since = ago(6 * hour);
    const sendAgain = () => fixture.store.sendFailedAgain(id, since, 2, Date.now());
    expect(await sendAgain()).toEqual({ resent: 2, more: true });
    await fixture.deliverAllDue();
    expect(sequencesOf(to).sort()).toEqual([1, 2]);
    expect(await sendAgain()).toEqual({ resent: 2, more: false });
    await fixture.deliverAllDue();
    expect(sequencesOf(to).sort()).toEqual([1, 2, 3, 4]);
  });

  it('leaves out tests, and holds the others while the webhook is disabled', async () => {
    const { to, fixture, status, id, deliver } = await subscribed();
    status.now = 410;
    await fixture.log.sendTest(id, undefined);
    await fixture.deliverAllDue();
    await deliver(7);
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
