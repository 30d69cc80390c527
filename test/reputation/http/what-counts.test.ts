import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AdminDispute } from '../../../contract/schemas/disputes.js';
import { type IntentAnswer, unscoredReasons } from '../../../contract/schemas/intents.js';
import type { AnchorReputation } from '../../../contract/schemas/reputation.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import {
  anchorSigner,
  disputeOf,
  outcomes,
  type Signer,
  signer,
} from '../../fixtures/disputes/dispute-values.js';
import { disputesFixture } from '../../fixtures/disputes/disputes-over-http.js';
import { testCronSecret } from '../../support/app.js';

/*
 * Compares the answers about counting with two independent sources: a model of the rules in docs/reputation.md, and the
 * published card before and after.
 */
const fixture = await disputesFixture();
const least = 10;
const places = 3;

/** Noon of yesterday, so that all outcomes belong to one UTC day. */
const noonMs = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 43_200_000;
const stored: { intent: Intent; owner: Signer }[] = [];

async function add(owner: string, ending: keyof typeof outcomes, changes: Partial<Intent> = {}) {
  const recordedAt = new Date(noonMs + stored.length * 1_000);
  const outcome = { ...outcomes[ending], recordedAt };
  const added = {
    intent: await fixture.add(signer(owner), ending, { outcome, ...changes }),
    owner: signer(owner),
  };
  stored.push(added);
  return added;
}

let clients = 0;

type Counts = NonNullable<IntentAnswer['outcome']>['counts'];

/** Applies the rules one after another, to the outcomes in the order in which they were recorded. */
function expectedCounts(): Map<string, Counts> {
  const counted = new Map<string, number>();
  return new Map(
    stored.map(({ intent: { _id, outcome, unscoredReason, sellAmount, account } }) => {
      const before = counted.get(account) ?? 0;
      if (
        unscoredReason !== null ||
        Number(sellAmount) < least ||
        outcome?.kind === 'expired' ||
        before >= places
      )
        return [_id, 'no'];
      counted.set(account, before + 1);
      return [_id, outcome?.kind === 'settled' ? 'filled' : 'not_filled'];
    }),
  );
}

async function answers(): Promise<Map<string, NonNullable<IntentAnswer['outcome']>>> {
  const read = new Map<string, NonNullable<IntentAnswer['outcome']>>();
  for (const { intent } of stored) {
    const { outcome } = await fixture.read(intent._id);
    if (outcome !== null) read.set(intent._id, outcome);
  }
  return read;
}

/** The changes of the card that a verdict with this effect makes. */
const changes: Record<
  AdminDispute['effect'],
  (of: AdminDispute['outcomeStatus']) => [number, number, number]
> = {
  nothing: () => [0, 0, 0],
  counts_filled: () => [0, 1, 1],
  not_counted: () => [-1, 0, 1],
  counts_not_filled: (of) => (of === 'expired' ? [1, 0, 1] : [0, -1, 1]),
};

beforeAll(async () => {
  for (let n = 0; n < 12; n += 1) await add('ada', 'settled');
  await add('bob', 'settled');
  await add('bob', 'failed');
  await add('bob', 'refunded');
  await add('bob', 'expired');
  await add('cyd', 'expired');
  await add('dan', 'settled', { sellAmount: '9.9999999' });
  await add('dan', 'settled', { sellAmount: '10' });
  for (const unscoredReason of Object.keys(unscoredReasons) as (keyof typeof unscoredReasons)[])
    await add(`unscored ${unscoredReason}`, 'settled', { unscoredReason });
  await add('eve', 'settled');
  await add('eve', 'settled');
  await add('eve', 'expired');
  await add('eve', 'expired');
  await add('fay', 'failed', { sellAmount: '9' });
});

describe('the counts of an outcome', () => {
  it('are those of the rules before the next refresh as well, and add up to the card', async () => {
    const found = await answers();
    const published = await card();
    expect(new Map([...found].map(([id, { counts }]) => [id, counts]))).toEqual(expectedCounts());
    const all = [...found.values()].map(({ counts }) => counts);
    const filled = all.filter((counts) => counts === 'filled').length;
    const notFilled = all.filter((counts) => counts === 'not_filled').length;
    expect(published).toEqual({ outcomes: filled + notFilled, filled, acceptedDisputes: 0 });
  });

  it('come with a reason exactly where the outcome does not count', async () => {
    const found = await answers();
    const reasons = stored.map(({ intent }) => found.get(intent._id)?.uncountedReason);
    expect(reasons).toEqual([
      ...[null, null, null, ...Array(9).fill('account_day_full')],
      ...[null, null, null, 'expired'],
      'expired',
      ...['below_least_amount', null],
      ...Object.keys(unscoredReasons),
      ...[null, null, 'expired', 'expired'],
      'below_least_amount',
    ]);
    // `scored` concerns the transaction only.
    for (const { scored, unscoredReason } of found.values()) expect(scored).toBe(unscoredReason === null);
  });
});

describe('the effect of a dispute', () => {
  it('is what the card shows after it was accepted', async () => {
    // The first, third, fourth and last intent of ada, all of the others, and one that must not be scored.
    const disputed = stored.filter(({ intent: { unscoredReason } }, index) =>
      index > 11
        ? unscoredReason === null || unscoredReason === 'amount_mismatch'
        : [0, 2, 3, 11].includes(index),
    );
    const seen = new Set<string>();
    let before = await card();
    for (const { intent, owner } of disputed) {
      const failed = intent.outcome?.kind === 'failed';
      const { status, body } = await fixture.file(
        disputeOf(intent, failed ? anchorSigner('harbour') : owner),
      );
      expect(status).toBe(201);
      const open = (await fixture.list({ status: 'open' })).body.items.find(({ id }) => id === body.id);
      if (open === undefined) throw new Error('the dispute is not listed');
      const countsBefore = (await fixture.read(intent._id)).outcome?.counts;
      expect((await fixture.resolve({ id: open.id, action: 'accept' })).status).toBe(200);
      const after = await card();
      const change = [
        after.outcomes - before.outcomes,
        after.filled - before.filled,
        after.acceptedDisputes - before.acceptedDisputes,
      ];
      expect([intent.outcome?.kind, open.effect, change]).toEqual([
        intent.outcome?.kind,
        open.effect,
        changes[open.effect](open.outcomeStatus),
      ]);
      const { outcome } = await fixture.read(intent._id);
      const countsAfter = {
        nothing: countsBefore,
        counts_filled: 'filled',
        counts_not_filled: 'not_filled',
        not_counted: 'no',
      }[open.effect];
      expect(outcome?.counts).toBe(countsAfter);
      expect(outcome?.uncountedReason === null).toBe(countsAfter !== 'no');
      const [accepted] = (await fixture.list({ status: 'accepted', limit: '1' })).body.items;
      expect([accepted?.id, accepted?.effect]).toEqual([open.id, open.effect]);
      seen.add(`${open.outcomeStatus} ${open.effect}`);
      before = after;
    }
    expect([...seen].sort()).toEqual([
      'expired counts_not_filled',
      'expired nothing',
      'failed counts_filled',
      'failed not_counted',
      'failed nothing',
      'settled counts_not_filled',
      'settled nothing',
    ]);
  });

  it('is nothing once the anchor has made the disputed failure good', async () => {
    const { intent } = await add('hal', 'failed');
    await card();
    const { body } = await fixture.file(disputeOf(intent, anchorSigner('harbour')));
    const effect = async () =>
      (await fixture.list({ status: 'open' })).body.items.find(({ id }) => id === body.id)?.effect;
    expect(await effect()).toBe('counts_filled');
    const recovered = {
      status: 'settled',
      'outcome.kind': 'settled',
      'outcome.reason': 'recovered',
    };
    await fixture.app.connection
      .collection('intents')
      .updateOne({ _id: intent._id as never }, { $set: recovered });
    expect(await effect()).toBe('nothing');
    expect((await fixture.read(intent._id)).outcome?.counts).toBe('filled');
  });
});

function client() {
  clients += 1;
  return { 'x-forwarded-for': `198.18.1.${clients}` };
}

async function card() {
  const headers = { authorization: `Bearer ${testCronSecret}`, ...client() };
  await fixture.app.client.request('POST', '/api/reputation/refresh', { headers });
  const path = '/api/reputation/harbour?window=7';
  const { body } = await fixture.app.client.request<AnchorReputation>('GET', path, { headers: client() });
  const { outcomes: counted, filled, acceptedDisputes } = body;
  return { outcomes: counted, filled, acceptedDisputes };
}
