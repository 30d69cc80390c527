import { encodePublicKey } from '../../contract/verification/strkey.js';
import type { Intent } from '../../server/features/intents/intent.js';
import { newIntent } from '../../server/features/intents/registration/new-intent.rules.js';
import { stepsAfter } from '../../server/features/intents/transition/steps.rules.js';
import type { Clock, Random } from '../../server/ports.js';
import { between, pick, randomBytes } from '../lib/random.js';
import type { Fleet, FleetAnchor } from '../simulated-anchors/index.js';
import { anchorDefinitions, type Profile } from '../simulated-anchors/profiles.js';
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
const accountsOfCorridor = 150;
const fewest = 60;
const most = 400;
/** Percentage of intents without a transaction. */
const abandonedPercent = 7;
const amounts = ['10', '20', '25', '50', '80', '100', '150', '200', '250', '400', '500', '1000'];

/** Intents as the service would have left them, anchor by anchor, corridor by corridor, oldest first. */
export function pastIntents(past: Past): Intent[] {
  const { fleet, random, clock } = past;
  const accounts = new Map(
    fleet.corridors.map(({ id }) => [id, Array.from({ length: accountsOfCorridor }, () => account(past))]),
  );
  return fleet.anchors.flatMap((anchor) => {
    return anchor.corridors.flatMap((served) => {
      const corridor = fleet.corridors.find(({ id }) => id === served.id);
      if (corridor === undefined) return [];
      const place = { anchor, served, corridor, accounts: accounts.get(served.id) ?? [] };
      const count = between(random, fewest, most);
      // Recent times are more likely than old ones; none is in the future.
      return Array.from({ length: count }, () => Math.floor(clock() - random() ** 1.5 * (days - 1) * dayMs))
        .sort((a, b) => a - b)
        .map((at) => intent(past, place, at));
    });
  });
}

interface Place {
  anchor: FleetAnchor;
  served: FleetAnchor['corridors'][number];
  corridor: Fleet['corridors'][number];
  accounts: readonly string[];
}

function intent(past: Past, { anchor, served, corridor, accounts }: Place, at: number): Intent {
  const { random } = past;
  const profile = anchorDefinitions.find(({ id }) => id === anchor.id)?.profile;
  if (profile === undefined) throw new Error(`${anchor.id} is no simulated anchor`);
  const outcome = outcomeOf(past, profile, at);
  const startedAt = at - (outcome.settleSeconds ?? 900) * 1_000;
  const createdAt = startedAt - between(random, 60, 600) * 1_000;
  const [payer, sellAmount] = [pick(random, accounts), pick(random, amounts)];
  const deliveryMethod = pick(random, served.deliveryMethods);
  const terms = { corridor: corridor.id, anchorId: anchor.id, account: payer, sellAmount, deliveryMethod };
  const registered = newIntent({
    intentHash: hex(random, 32),
    body: { ...terms, nonce: '' },
    corridor,
    quote: null,
    nowMs: createdAt,
  });
  const ended = { status: outcome.kind, open: false, due: new Date(at), version: 1, outcome };
  const after: Intent = { ...registered, ...ended, poll: 'never' };
  return { ...after, steps: stepsAfter(registered, after) };
}

function outcomeOf({ random, pace }: Past, { settlement, protocol }: Profile, at: number): Outcome {
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
    shortfallPpb: protocol.startsWith('sep38') ? between(random, least, worst) * 1_000 : null,
  };
}

function account({ random }: Past): string {
  return encodePublicKey(randomBytes(random, 32));
}

function hex(random: Random, length: number): string {
  return Buffer.from(randomBytes(random, length)).toString('hex');
}
