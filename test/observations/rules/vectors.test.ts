import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { isNotJson, outcomeOf } from '../../../server/features/observations/call.rules.js';
import {
  listedMethods,
  offersWithdrawal,
  sep6Methods,
} from '../../../server/features/observations/info.rules.js';
import { deviationOf } from '../../../server/features/observations/price-level.rules.js';
import {
  describeChange,
  judgeTerms,
  type KnownTerm,
  type Term,
} from '../../../server/features/observations/terms.rules.js';

interface PriceLevel {
  name: string;
  rate: string;
  prices: string[];
  reference: string | null;
  off: string | null;
}
interface Outcome {
  name: string;
  status: number;
  text: string;
  missing: boolean;
  outcome: string;
  notJson: boolean;
}
interface Info {
  name: string;
  json: unknown;
  listed?: string[];
  offers?: boolean;
  methods?: string[];
}
interface Shown {
  day: number;
  fee?: string;
  share?: string;
  methods?: string[];
  /** The fee was requested and is missing. */
  looked?: boolean;
}

const file = new URL('../../vectors/observations.json', import.meta.url);
const vectors: {
  priceLevels: PriceLevel[];
  outcomes: Outcome[];
  infos: Info[];
  terms: { name: string; looks: Shown[]; changed: string[][] }[];
} = JSON.parse(readFileSync(file, 'utf8'));

const named = <T extends { name: string }>(cases: T[]) => cases.map((each) => [each.name, each] as const);

describe('a price is compared with', () => {
  it.each(named(vectors.priceLevels))('%s', (_name, { rate, prices, reference, off }) => {
    const known = prices.map((price, index) => ({ anchorId: `a${index}`, rate: price }));
    const found = deviationOf(rate, known, reference);
    expect(found).toEqual(off === 'unknown' ? undefined : { words: off });
  });
});

describe('an answer is judged', () => {
  it.each(named(vectors.outcomes))('%s', (_name, { status, text, missing, outcome, notJson }) => {
    const received = { status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
    expect(outcomeOf(received, { missing })).toBe(outcome);
    expect(isNotJson(received)).toBe(notJson);
  });
});

describe('an /info is read', () => {
  it.each(named(vectors.infos))('%s', (_name, { json, listed, offers, methods }) => {
    expect(listedMethods(json, 'iso4217:NGN')).toEqual(listed);
    expect(offersWithdrawal(json, 'USDC')).toBe(offers ?? false);
    expect(sep6Methods(json, 'USDC')).toEqual(methods ?? []);
  });
});

function termsIn({ fee, share, methods = [] }: Shown): Term[] {
  const common = { service: 'sep6', corridor: null } as const;
  return [
    ...(fee === undefined
      ? []
      : [{ ...common, key: 'fee', code: 'fee_changed', kind: 'fee', value: fee } as const]),
    ...(share === undefined
      ? []
      : [{ ...common, key: 'share', code: 'fee_changed', kind: 'share', value: share } as const]),
    ...methods.map(
      (name) =>
        ({
          ...common,
          key: `method ${name}`,
          code: 'method_dropped',
          kind: 'offered',
          value: 'yes',
        }) as const,
    ),
  ];
}

describe('terms that change', () => {
  it.each(named(vectors.terms))('%s', (_name, { looks, changed }) => {
    let known: KnownTerm[] = [];
    const found = looks.map((shown) => {
      const looked = [...(shown.methods === undefined ? [] : ['method']), ...(shown.looked ? ['fee'] : [])];
      const judged = judgeTerms(known, termsIn(shown), looked, shown.day * 86_400_000);
      known = judged.terms;
      return judged.changed.map(describeChange);
    });
    expect(found).toEqual(changed);
  });
});
