import { describe, expect, it } from '@jest/globals';
import { type IntentsFixture, intentsFixture, second } from '../../fixtures/intents/intents-over-http.js';
import { payments } from '../../fixtures/intents/payments.js';
import { someAccount } from '../../fixtures/ledger/ledger-fixture.js';

const fixture: IntentsFixture = intentsFixture({ ledger: true, anchors: ['harbour', 'squall'] });
const { started, name, pay } = payments(fixture);
const hour = 3_600 * second;
const many = 100;

/** Reconciles once per hour while this many hours pass. */
async function hours(count: number): Promise<void> {
  for (let passed = 0; passed < count; passed += 1) {
    await fixture.pass(hour);
    await fixture.settle();
  }
}

function outcomes(anchorId: string) {
  return fixture
    .documents()
    .aggregate([
      { $match: { anchorId } },
      {
        $group: {
          _id: {
            status: '$status',
            reason: '$outcome.reason',
            evidence: '$outcome.evidence',
            unscoredReason: '$unscoredReason',
          },
          count: { $sum: 1 },
        },
      },
    ])
    .toArray();
}

describe('an anchor that takes the money of 100 wallets and never says so', () => {
  it('has failed in each of 100, half of which it does not know any more, without a dispute', async () => {
    for (let number = 0; number < many; number += 1) {
      const ending = number % 2 === 0 ? 'vanish' : 'forget';
      const { intentHash, id, nonce } = await started({ ending, account: someAccount(`wallet ${number}`) });
      const { hash } = pay(id, { from: someAccount(`wallet ${number}`) });
      await fixture.pass(2 * second);
      await name(intentHash, nonce, hash);
    }
    await hours(32);
    expect(await outcomes('harbour')).toEqual([
      { _id: { status: 'failed', reason: 'overdue', evidence: 'ledger', unscoredReason: null }, count: many },
    ]);
    expect(await fixture.app.connection.collection('disputes').countDocuments({})).toBe(0);
  }, 600_000);
});

describe('a rival that frames an honest anchor 100 times', () => {
  it('harms it in none: neither with payments to accounts of its own, nor with records that it makes up', async () => {
    for (let number = 0; number < many; number += 1) {
      const account = someAccount(`rival ${number}`);
      const { intentHash, nonce } = await started({ anchorId: 'squall', account });
      const payment = { to: number % 3 === 0 ? account : someAccount('the rival'), amount: '100' };
      const { hash } = fixture.ledger.pay({ source: account, payments: [payment] });
      await fixture.pass(2 * second);
      await name(intentHash, nonce, hash);
      // The record is made up by the rival: only the anchor can sign one.
      const made = { id: 'made-up', status: 'refunded', stellar_transaction_id: hash };
      const told = await fixture.app.client.request('POST', `/api/intent/${intentHash}/status`, {
        headers: {
          'x-forwarded-for': `198.18.0.${number}`,
          signature: `t=${Math.floor(fixture.now() / second)}, s=${'A'.repeat(86)}==`,
        },
        body: { transaction: made },
      });
      expect(told.status).toBe(403);
    }
    await hours(52);
    const ended = await outcomes('squall');
    expect(ended.map(({ _id }) => _id.status)).toEqual(ended.map(() => 'expired'));
    expect(ended.reduce((sum, { count }) => sum + count, 0)).toBe(many);
    expect(await fixture.contradictions('squall')).toBe(0);
  }, 600_000);
});
