import type { FindingCode, ObservedService } from '../../../contract/schemas/observations.js';

/** Something that an anchor publishes and seldom changes: a fee, or that it offers something at all. */
export interface Term {
  /** `fee sep24 USDC`: names it among the terms of its anchor. */
  key: string;
  code: Extract<
    FindingCode,
    'fee_changed' | 'method_dropped' | 'withdrawal_dropped' | 'service_dropped' | 'quotes_unavailable'
  >;
  service: ObservedService;
  corridor: string | null;
  /** `fee`: as it is written. `share`: per cent with two places, which may waver. `offered`: `yes`, or `none`. */
  kind: 'fee' | 'share' | 'offered';
  value: string;
}

/** A term as it usually is, and what it has been since it differs. */
export interface KnownTerm extends Term {
  other: { value: string; sinceMs: number } | null;
}

/** A term that differs now from what it usually is. */
export interface ChangedTerm extends Term {
  usual: string;
}

/** A change that stands for so long is the usual from then on. */
export const usualAfterMs = 7 * 86_400_000;
/** A fee that is a share of amounts that are rounded, and may follow an exchange rate, wavers by less than this. */
const shareSlack = 0.25;
/** Per anchor; what it shows beyond this is not followed. */
const mostTerms = 200;

/**
 * What is usual after a look, and what differs. `looked` are the keys, or their first words, that the look would have
 * shown: a known term among them that was not shown is there no more. What begins to be offered is usual at once.
 */
export function judgeTerms(
  known: readonly KnownTerm[],
  shown: readonly Term[],
  looked: readonly string[],
  nowMs: number,
): { terms: KnownTerm[]; changed: ChangedTerm[]; judged: string[] } {
  const shownByKey = new Map(shown.map((term) => [term.key, term]));
  const terms = known.map((term) => {
    const gone = looked.some((words) => term.key === words || term.key.startsWith(`${words} `));
    const value = shownByKey.get(term.key)?.value ?? (gone ? 'none' : undefined);
    return value === undefined
      ? { term, isJudged: false }
      : { term: judge(term, value, nowMs), isJudged: true };
  });
  const knownKeys = new Set(known.map(({ key }) => key));
  const fresh = shown.filter(({ key }) => !knownKeys.has(key)).map((term) => ({ ...term, other: null }));
  const judged = terms.filter(({ isJudged }) => isJudged).map(({ term }) => term);
  return {
    terms: [...terms.map(({ term }) => term), ...fresh].slice(0, mostTerms),
    changed: judged.flatMap(({ other, ...term }) =>
      other === null ? [] : [{ ...term, value: other.value, usual: term.value }],
    ),
    judged: [...judged, ...fresh].map(({ key }) => key),
  };
}

function judge(term: KnownTerm, value: string, nowMs: number): KnownTerm {
  if (isSame(term, value)) return { ...term, other: null };
  if (term.kind === 'offered' && value === 'yes') return { ...term, value, other: null };
  const sinceMs =
    term.other !== null && isSame({ ...term, value: term.other.value }, value) ? term.other.sinceMs : nowMs;
  if (nowMs - sinceMs >= usualAfterMs) return { ...term, value, other: null };
  return { ...term, other: { value, sinceMs } };
}

function isSame({ kind, value }: Pick<Term, 'kind' | 'value'>, other: string): boolean {
  return kind === 'share' ? Math.abs(Number(value) - Number(other)) <= shareSlack : value === other;
}

/** What is said of a changed term. */
export function wordsOfChange({ code, kind, key, usual, value }: ChangedTerm): string {
  if (code === 'quotes_unavailable') return 'gives no price any more';
  if (kind === 'offered') return key.split(' ').at(-1) ?? '';
  const unit = kind === 'share' ? ' % of the amount' : '';
  return `from ${usual}${unit} to ${value}${unit}`.slice(0, 200);
}
