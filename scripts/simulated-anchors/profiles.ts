/** Two bounds, both included, in the unit that the field's name says. */
export type Range = readonly [low: number, high: number];

/**
 * How an anchor answers for its prices: `sep38` follows today's standard, `sep38-old` an earlier version behind a
 * token (no total_price, no fee, seven-decimal fiat, HTML errors); the others publish a fee in SEP-24 or SEP-6 `/info`.
 */
export type Protocol = 'sep38' | 'sep38-old' | 'fee-sep24' | 'fee-sep6';

/** The standards that an anchor offers. */
export const offered: Readonly<Record<Protocol, { sep38: boolean; sep24: boolean; sep6: boolean }>> = {
  sep38: { sep38: true, sep24: true, sep6: true },
  'sep38-old': { sep38: true, sep24: true, sep6: false },
  'fee-sep24': { sep38: false, sep24: true, sep6: false },
  'fee-sep6': { sep38: false, sep24: false, sep6: true },
};

/**
 * What becomes of a paid withdrawal; anchors wrote the two `refund-old-*` before `refunded` was in the standard. One that
 * vanishes keeps the money and shows the withdrawal as unpaid; one that forgets does not know it any more.
 */
export type Ending =
  | 'complete'
  | 'refund'
  | `refund-old-${'error' | 'completed'}`
  | 'fail'
  | 'recover'
  | 'hold'
  | 'stuck'
  | 'vanish'
  | 'forget';

/** How an anchor pays out what it was sent. Seconds are multiplied by the fleet's pace. */
export interface SettlementProfile {
  /** From payment to `completed`, or to ready for pick-up if the payout is cash. */
  settleSeconds: Range;
  /** Relative weights; an ending that is not listed never happens by itself. */
  endings: Partial<Record<Ending, number>>;
  /** Parts per million by which the payout is less than the price at the start. */
  shortfallPpm: Range;
}

/** How an anchor behaves. */
export interface Profile {
  protocol: Protocol;
  /** Taken off the simulated market rate, in per cent. */
  marginPercent: string;
  feePercent: string;
  /** In units of the stablecoin. */
  feeFixed: string;
  /** Multiplies its quoted prices, but not its payouts; 1 unless it is to make absurd promises. */
  priceFactor: string;
  minAmount: string;
  maxAmount: string;
  /** If set, it sells whole lots of this many stablecoins and rounds the requested amount up to one. */
  lot: string | null;
  latencyMs: Range;
  /** Shares of the answers, 0 to 1, that fail in this way. */
  faults: { error500: number; html: number; hang: number };
  /** Out of service for the first `forSeconds` of every `everySeconds` of the clock. */
  outage: { everySeconds: number; forSeconds: number } | null;
  settlement: SettlementProfile;
}

/** One simulated anchor: who it is, what it serves, how it behaves. */
export interface AnchorDefinition {
  id: string;
  name: string;
  corridors: readonly { id: string; deliveryMethods: readonly string[] }[];
  /** True: it granted the operator a token that reads any transaction (and, in the old version, prices). */
  partner: boolean;
  profile: Profile;
}

// Fixture data: none of these anchors exists, and none of these figures is a promise of a real one.

const settles = (
  settleSeconds: Range,
  endings: SettlementProfile['endings'],
  shortfallPpm: Range = [0, 0],
): SettlementProfile => ({ settleSeconds, endings, shortfallPpm });

const ordinary: Profile = {
  protocol: 'sep38',
  marginPercent: '0.55',
  feePercent: '0.3',
  feeFixed: '0.10',
  priceFactor: '1',
  minAmount: '5',
  maxAmount: '20000',
  lot: null,
  latencyMs: [5, 40],
  faults: { error500: 0, html: 0, hang: 0 },
  outage: null,
  settlement: settles([45, 240], { complete: 96, hold: 2, refund: 1, recover: 1 }),
};

/** `methods`: its corridors, from the stablecoin to each of these, with its delivery methods there. */
function anchor(
  id: string,
  methods: Record<string, readonly string[]>,
  profile: Partial<Profile> = {},
  partner = true,
): AnchorDefinition {
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)} (simulated)`;
  const corridors = Object.entries(methods).map(([to, deliveryMethods]) => ({
    id: `usdc-${to}`,
    deliveryMethods,
  }));
  return { id, name, corridors, partner, profile: { ...ordinary, ...profile } };
}

const [bank, mobile, cash, pix] = [['bank_account'], ['mobile_money'], ['cash'], ['PIX']];
const bankOrCash = ['bank_account', 'cash'];

/** The README beside this file says what each is like. */
export const anchorDefinitions: readonly AnchorDefinition[] = [
  anchor('harbour', {
    ngn: ['bank_account', 'mobile_money'],
    kes: ['mobile_money', 'bank_account'],
    ghs: mobile,
    ugx: mobile,
    mxn: bank,
    eur: bank,
  }),
  anchor(
    'slowboat',
    { ngn: bank, kes: bank, zar: bank, mxn: bank, brl: pix, eur: bank },
    {
      marginPercent: '0.15',
      feePercent: '0.1',
      feeFixed: '0',
      latencyMs: [450, 1300],
      settlement: settles([900, 2700], { complete: 94, hold: 4, recover: 2 }),
    },
  ),
  anchor(
    'squall',
    {
      ngn: bank,
      kes: mobile,
      ugx: mobile,
      brl: ['PIX', 'bank_account'],
      php: ['bank_account', 'mobile_money'],
    },
    {
      marginPercent: '0.35',
      feePercent: '0.2',
      latencyMs: [20, 350],
      faults: { error500: 0.1, html: 0.08, hang: 0.06 },
      settlement: settles(
        [60, 900],
        { complete: 74, hold: 4, refund: 6, 'refund-old-error': 4, fail: 8, recover: 3, stuck: 1 },
        [0, 9_000],
      ),
    },
  ),
  anchor(
    'galleon',
    { ngn: bank, ghs: bank, zar: bank, brl: pix },
    {
      protocol: 'sep38-old',
      marginPercent: '0.9',
      feePercent: '0',
      feeFixed: '0',
      settlement: settles(
        [120, 600],
        { complete: 92, 'refund-old-completed': 4, 'refund-old-error': 2, fail: 2 },
        [0, 1_500],
      ),
    },
  ),
  anchor(
    'ferry',
    { ngn: cash, ghs: cash, mxn: cash, php: cash, 'xof-sn': cash },
    {
      protocol: 'fee-sep24',
      marginPercent: '0.8',
      feePercent: '1',
      feeFixed: '1',
      maxAmount: '2500',
      settlement: settles([120, 480], { complete: 95, refund: 4, hold: 1 }),
    },
  ),
  anchor(
    'lighter',
    { kes: mobile, ugx: mobile, brl: pix },
    {
      protocol: 'fee-sep6',
      marginPercent: '0.6',
      feePercent: '0.75',
      feeFixed: '0.5',
      settlement: settles([30, 180], { complete: 93, refund: 3, fail: 3, hold: 1 }, [0, 3_000]),
    },
  ),
  anchor(
    'tidewater',
    { ngn: bankOrCash, kes: mobile, ghs: mobile, 'xof-sn': ['mobile_money', 'cash'] },
    {
      marginPercent: '0.3',
      outage: { everySeconds: 2_400, forSeconds: 300 },
      settlement: settles([60, 420], { complete: 89, hold: 5, refund: 3, recover: 3 }, [0, 1_000]),
    },
  ),
  anchor(
    'windlass',
    { zar: bankOrCash, mxn: bankOrCash, php: bankOrCash, 'xof-sn': cash },
    { marginPercent: '0.25', lot: '54.2' },
    false,
  ),
  anchor(
    'undertow',
    { eur: bank, php: bank },
    {
      marginPercent: '0.2',
      feePercent: '0.1',
      settlement: settles([60, 300], { complete: 30, vanish: 55, forget: 15 }),
    },
  ),
];
