import { encodePublicKey } from '../../contract/verification/strkey.js';
import type { Intent } from '../../server/features/intents/intent.js';
import type { FoundPayment } from '../../server/features/intents/payment/payment.js';
import { nothingKnown } from '../../server/features/intents/payment/payment-state.rules.js';
import {
  nothingObserved,
  type Observations,
} from '../../server/features/intents/transition/settle-time.rules.js';
import type { Clock, Random } from '../../server/ports.js';
import { randomBytes } from '../lib/random.js';
import type { Fleet, FleetAnchor } from '../simulated-anchors/fleet-file.js';
import { anchorDefinitions, type SettlementProfile } from '../simulated-anchors/profiles.js';
import { drawEnding } from '../simulated-anchors/settlement.js';

interface Past {
  fleet: Pick<Fleet, 'corridors' | 'anchors'>;
  clock: Clock;
  random: Random;
  pace: number;
}

type Outcome = NonNullable<Intent['outcome']>;

const days = 90;
const dayMs = 86_400_000;
const ledgerMs = 5_000;
const accountsOfCorridor = 150;
const fewest = 60;
const most = 400;
/** Percentage of intents without a transaction. */
const abandonedPercent = 7;
const amounts = ['10', '20', '25', '50', '80', '100', '150', '200', '250', '400', '500', '1000'];

/** The last status that the anchor would have reported. */
const lastWords: Partial<Record<Outcome['reason'], Observations['status']>> = {
  completed: 'completed',
  refunded: 'refunded',
  error: 'error',
  overdue: 'pending_anchor',
};

/** The profile for an anchor that has none here. */
const ordinary: SettlementProfile = {
  settleSeconds: [60, 600],
  endings: { complete: 94, refund: 4, fail: 2 },
  shortfallPpm: [0, 500],
};

/** Intents as the service would have left them, anchor by anchor, corridor by corridor, oldest first. */
export function pastIntents(past: Past): Intent[] {
  const corridors = new Map(past.fleet.corridors.map((corridor) => [corridor.id, corridor]));
  const accounts = new Map(
    past.fleet.corridors.map(({ id }) => [
      id,
      Array.from({ length: accountsOfCorridor }, () => account(past)),
    ]),
  );
  return past.fleet.anchors.flatMap((anchor) => {
    const anchorAccount = account(past);
    return anchor.corridors.flatMap(({ id, deliveryMethods }) => {
      const corridor = corridors.get(id);
      if (corridor === undefined) return [];
      const count = Math.round(between(past.random, fewest, most));
      return Array.from({ length: count }, () => recordedAt(past))
        .sort((a, b) => a - b)
        .map((at) =>
          intent(past, {
            anchor,
            corridor,
            at,
            deliveryMethods,
            accounts: accounts.get(id) ?? [],
            anchorAccount,
          }),
        );
    });
  });
}

/** Recent times are more likely than old ones; none is in the future. */
function recordedAt({ clock, random }: Past): number {
  return Math.floor(clock() - random() ** 1.5 * (days - 1) * dayMs);
}

function intent(
  past: Past,
  place: {
    anchor: FleetAnchor;
    corridor: Fleet['corridors'][number];
    at: number;
    deliveryMethods: readonly string[];
    accounts: readonly string[];
    anchorAccount: string;
  },
): Intent {
  const { random } = past;
  const { anchor, corridor, at } = place;
  const profile = anchorDefinitions.find(({ id }) => id === anchor.id)?.profile;
  const outcome = outcomeOf(past, profile?.settlement ?? ordinary, at, profile?.protocol.startsWith('sep38'));
  const startedAt = at - (outcome.settleSeconds ?? 900) * 1_000;
  const createdAt = startedAt - Math.round(between(random, 60, 600)) * 1_000;
  const abandoned = outcome.kind === 'expired';
  const [payer, sellAmount] = [pick(random, place.accounts), pick(random, amounts)];
  const paid = { account: payer, amount: sellAmount, asset: corridor.sellAsset, to: place.anchorAccount };
  const payment = abandoned ? null : paymentAt(random, startedAt, paid);
  return {
    _id: hex(random, 32),
    anchorId: anchor.id,
    corridor: corridor.id,
    account: payer,
    sellAmount,
    minReceive: null,
    deliveryMethod: pick(random, place.deliveryMethods),
    createdAt: new Date(createdAt),
    deadline: new Date(createdAt + dayMs),
    client: null,
    quote: null,
    corridorTerms: {
      sellAsset: corridor.sellAsset,
      buyAsset: corridor.buyAsset,
      overdueAfterSeconds: corridor.overdueAfterSeconds,
      mayBeCollected: false,
    },
    status: outcome.kind,
    ...(abandoned ? {} : { transactionId: `past-${hex(random, 8)}` }),
    attachedAt: abandoned ? null : new Date(createdAt + 30_000),
    observations: abandoned
      ? nothingObserved
      : {
          ...nothingObserved,
          firstAtMs: createdAt + 30_000,
          lastAtMs: at,
          status: lastWords[outcome.reason] ?? null,
          unfundedAtMs: startedAt,
          fundedAtMs: startedAt,
        },
    problem: null,
    told: null,
    claimedAt: null,
    signed: false,
    amountIn: abandoned ? null : sellAmount,
    ...(payment === null ? { payment: nothingKnown } : { payment: { ...nothingKnown, found: payment } }),
    contradicted: false,
    recoveredAt: null,
    callbacks: null,
    // Nothing is left to poll for: the anchors do not know this transaction.
    poll: abandoned ? 'never' : 'confirmed',
    unknownPolls: 0,
    open: false,
    due: new Date(at),
    version: 1,
    outcome,
    unscoredReason: null,
    disputeEffect: null,
  };
}

function outcomeOf(
  { random, pace }: Past,
  settlement: SettlementProfile,
  at: number,
  quotes: boolean | undefined,
): Outcome {
  const unmeasured = { settleSeconds: null, timesKnown: false, shortfallPpb: null, amountOut: null };
  const recorded = { recordedAt: new Date(at), ...unmeasured, evidence: 'ledger' } as const;
  if (random() * 100 < abandonedPercent)
    return { ...recorded, kind: 'expired', reason: 'no_transaction', evidence: 'unverified' };
  const ending = drawEnding(settlement, random);
  if (ending === 'stuck' || ending === 'vanish' || ending === 'forget')
    return { ...recorded, kind: 'failed', reason: 'overdue' };
  if (ending === 'fail') return { ...recorded, kind: 'failed', reason: 'error' };
  if (ending.startsWith('refund')) return { ...recorded, kind: 'failed', reason: 'refunded' };
  const [low, high] = settlement.settleSeconds;
  const usual = low * (high / low) ** random();
  const slow = ending === 'complete' ? 1 : between(random, 3, 12);
  const [least, worst] = settlement.shortfallPpm;
  return {
    ...recorded,
    kind: 'settled',
    reason: 'completed',
    settleSeconds: Math.max(1, Math.round(usual * slow * pace)),
    timesKnown: true,
    shortfallPpb: quotes === true ? Math.round(between(random, least, worst)) * 1_000 : null,
  };
}

/** The payment as the ledger would show it. */
function paymentAt(
  random: Random,
  closedAtMs: number,
  paid: { account: string; amount: string; asset: string; to: string },
): FoundPayment {
  return {
    hash: hex(random, 32),
    by: 'anchor',
    operationId: String(BigInt(`0x${hex(random, 7)}`)),
    position: 1,
    kind: 'payment',
    ledger: Math.floor(closedAtMs / ledgerMs),
    closedAtMs,
    from: paid.account,
    fromMuxedId: null,
    to: paid.to,
    toMuxedId: null,
    asset: paid.asset,
    amount: paid.amount,
    memo: null,
    lookedUpAtMs: closedAtMs + ledgerMs,
    source: 'rpc',
  };
}

function account({ random }: Past): string {
  return encodePublicKey(randomBytes(random, 32));
}

function hex(random: Random, length: number): string {
  return Buffer.from(randomBytes(random, length)).toString('hex');
}

function between(random: Random, low: number, high: number): number {
  return low + random() * (high - low);
}

function pick<T>(random: Random, choices: readonly T[]): T {
  const chosen = choices[Math.floor(random() * choices.length)];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
}
