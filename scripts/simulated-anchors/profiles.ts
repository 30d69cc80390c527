/** Two bounds, both included, in the unit that the field's name says. */
export type Range = readonly [low: number, high: number];

/**
 * How an anchor answers for its prices: `sep38` follows today's standard, `sep38-old` an earlier version behind a
 * token (no total_price, no fee, seven-decimal fiat, HTML errors); the others publish a fee in SEP-24 or SEP-6 `/info`.
 */
export type Protocol = 'sep38' | 'sep38-old' | 'fee-sep24' | 'fee-sep6';

/**
 * What becomes of a paid withdrawal; anchors wrote the two `refund-old-*` before `refunded` was in the standard. One that
 * vanishes keeps the money and shows the withdrawal as unpaid; one that forgets does not know it any more.
 */
export const endings = [
  'complete',
  'refund',
  'refund-old-error',
  'refund-old-completed',
  'fail',
  'recover',
  'hold',
  'stuck',
  'vanish',
  'forget',
] as const;

export type Ending = (typeof endings)[number];

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
  /** False: the fleet file gives its addresses, as for an anchor that publishes no stellar.toml. */
  discoverable: boolean;
  profile: Profile;
}

// Fixture data: none of these anchors exists, and none of these figures is a promise of a real one.

const reliable: SettlementProfile = {
  settleSeconds: [45, 240],
  endings: { complete: 96, hold: 2, refund: 1, recover: 1 },
  shortfallPpm: [0, 0],
};

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
  settlement: reliable,
};

const bank = ['bank_account'] as const;
const mobile = ['mobile_money'] as const;
const cash = ['cash'] as const;

const usual = { partner: true, discoverable: true };

/** Its corridors, from the stablecoin to each of these, with its delivery methods there. */
const paysOut = (methods: Record<string, readonly string[]>) =>
  Object.entries(methods).map(([to, deliveryMethods]) => ({ id: `usdc-${to}`, deliveryMethods }));

export const anchorDefinitions: readonly AnchorDefinition[] = [
  {
    id: 'harbour', // steady
    name: 'Harbour (simulated)',
    corridors: paysOut({
      ngn: ['bank_account', 'mobile_money'],
      kes: ['mobile_money', 'bank_account'],
      ghs: mobile,
      ugx: mobile,
      mxn: bank,
      eur: bank,
    }),
    ...usual,
    profile: ordinary,
  },
  {
    id: 'slowboat', // cheap but slow
    name: 'Slowboat (simulated)',
    corridors: paysOut({ ngn: bank, kes: bank, zar: bank, mxn: bank, brl: ['PIX'], eur: bank }),
    ...usual,
    profile: {
      ...ordinary,
      marginPercent: '0.15',
      feePercent: '0.1',
      feeFixed: '0',
      latencyMs: [450, 1300],
      settlement: {
        settleSeconds: [900, 2700],
        endings: { complete: 94, hold: 4, recover: 2 },
        shortfallPpm: [0, 0],
      },
    },
  },
  {
    id: 'squall', // flaky
    name: 'Squall (simulated)',
    corridors: paysOut({
      ngn: bank,
      kes: mobile,
      ugx: mobile,
      brl: ['PIX', 'bank_account'],
      php: ['bank_account', 'mobile_money'],
    }),
    ...usual,
    profile: {
      ...ordinary,
      marginPercent: '0.35',
      feePercent: '0.2',
      latencyMs: [20, 350],
      faults: { error500: 0.1, html: 0.08, hang: 0.06 },
      settlement: {
        settleSeconds: [60, 900],
        endings: { complete: 74, hold: 4, refund: 6, 'refund-old-error': 4, fail: 8, recover: 3, stuck: 1 },
        shortfallPpm: [0, 9_000],
      },
    },
  },
  {
    id: 'galleon', // an old version of SEP-38 behind a token
    name: 'Galleon (simulated)',
    corridors: paysOut({ ngn: bank, ghs: bank, zar: bank, brl: ['PIX'] }),
    ...usual,
    profile: {
      ...ordinary,
      protocol: 'sep38-old',
      marginPercent: '0.9',
      feePercent: '0',
      feeFixed: '0',
      settlement: {
        settleSeconds: [120, 600],
        endings: { complete: 92, 'refund-old-completed': 4, 'refund-old-error': 2, fail: 2 },
        shortfallPpm: [0, 1_500],
      },
    },
  },
  {
    id: 'ferry', // fee only, over SEP-24
    name: 'Ferry (simulated)',
    corridors: paysOut({ ngn: cash, ghs: cash, mxn: cash, php: cash, 'xof-sn': cash }),
    ...usual,
    profile: {
      ...ordinary,
      protocol: 'fee-sep24',
      marginPercent: '0.8',
      feePercent: '1',
      feeFixed: '1',
      maxAmount: '2500',
      settlement: {
        settleSeconds: [120, 480],
        endings: { complete: 95, refund: 4, hold: 1 },
        shortfallPpm: [0, 0],
      },
    },
  },
  {
    id: 'lighter', // fee only, over SEP-6, addresses given by the fleet file
    name: 'Lighter (simulated)',
    corridors: paysOut({ kes: mobile, ugx: mobile, brl: ['PIX'] }),
    ...usual,
    discoverable: false,
    profile: {
      ...ordinary,
      protocol: 'fee-sep6',
      marginPercent: '0.6',
      feePercent: '0.75',
      feeFixed: '0.5',
      settlement: {
        settleSeconds: [30, 180],
        endings: { complete: 93, refund: 3, fail: 3, hold: 1 },
        shortfallPpm: [0, 3_000],
      },
    },
  },
  {
    id: 'tidewater', // out of service at times
    name: 'Tidewater (simulated)',
    corridors: paysOut({
      ngn: ['bank_account', 'cash'],
      kes: mobile,
      ghs: mobile,
      'xof-sn': ['mobile_money', 'cash'],
    }),
    ...usual,
    profile: {
      ...ordinary,
      marginPercent: '0.3',
      outage: { everySeconds: 2_400, forSeconds: 300 },
      settlement: {
        settleSeconds: [60, 420],
        endings: { complete: 89, hold: 5, refund: 3, recover: 3 },
        shortfallPpm: [0, 1_000],
      },
    },
  },
  {
    id: 'windlass', // adjusts amounts: asked for 500 it answers for 542; grants no partner token
    name: 'Windlass (simulated)',
    corridors: paysOut({
      zar: ['bank_account', 'cash'],
      mxn: ['bank_account', 'cash'],
      php: ['bank_account', 'cash'],
      'xof-sn': cash,
    }),
    ...usual,
    partner: false,
    profile: { ...ordinary, marginPercent: '0.25', lot: '54.2' },
  },
  {
    id: 'undertow', // the vanisher: takes the money of most and says nothing, which only the ledger shows
    name: 'Undertow (simulated)',
    corridors: paysOut({ eur: bank, php: bank }),
    ...usual,
    profile: {
      ...ordinary,
      marginPercent: '0.2',
      feePercent: '0.1',
      settlement: {
        settleSeconds: [60, 300],
        endings: { complete: 30, vanish: 55, forget: 15 },
        shortfallPpm: [0, 0],
      },
    },
  },
];
