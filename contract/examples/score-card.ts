import { type CardSigns, type CardVerification, cardRecord, type ScoreCard } from '../schemas/score-card.js';

/** An anchor's record as the documents show it. */
export const exampleRecord = {
  outcomes: 412,
  filled: 401,
  accountDays: 388,
  days90: 88,
  fillRate: '0.973300',
  p50SettleSeconds: 91,
  p95SettleSeconds: 233,
  meanShortfall: '0.000120000',
  quotedOutcomes: 401,
  acceptedDisputes: 1,
  score: '85.67',
  state: 'scored',
} as const;

const exampleVerification = { ledgerOutcomes: 412, anchorOutcomes: 0, timesWithheld: 3 };

/** The same as a card; its score follows from its inputs. */
export const exampleCard = {
  anchorId: 'harbour',
  corridor: 'usdc-ngn',
  window: 30,
  formula: 'v1',
  evidence: 'ledger',
  ...exampleRecord,
  speedTargetSeconds: 600,
  ...exampleVerification,
  simulated: true,
} satisfies ScoreCard;

/** What is shown beside the card. */
export const exampleSigns = {
  timesKnown: 398,
  accounts: 371,
  newAccountShare: '0.274272',
  largestAccountShare: '0.009709',
  busiestDayShare: '0.050971',
  ...exampleVerification,
} as const satisfies CardSigns & CardVerification;

type ExampleRecord = Pick<ScoreCard, keyof typeof cardRecord | 'score' | 'state'>;

/** A record for an example, its members in the order of the card; what is not given is zero. */
export function recordWith(given: Partial<ExampleRecord>): ExampleRecord {
  const zeros = Object.fromEntries(Object.keys(cardRecord).map((member) => [member, 0]));
  return { ...zeros, score: null, state: 'insufficient_data', ...given } as ExampleRecord;
}
