import type { FindingCode, ObservedService } from '../../../contract/schemas/observations.js';

/** Something that an anchor publishes and seldom changes: a fee, or that it offers something at all. */
export interface Term {
  /** Unique among the terms of an anchor: `fee sep24 usdc-ngn`. */
  key: string;
  code: Extract<
    FindingCode,
    'fee_changed' | 'method_dropped' | 'withdrawal_dropped' | 'service_dropped' | 'quotes_unavailable'
  >;
  service: ObservedService;
  corridor: string | null;
  /**
   * `fee`: the published text. `share`: a percentage with two decimals, compared with a tolerance. `offered`: `yes` or
   * `none`.
   */
  kind: 'fee' | 'share' | 'offered';
  value: string;
}

/** The usual value of a term and, while the observed value differs, that value and since when. */
export interface KnownTerm extends Term {
  other: { value: string; sinceMs: number } | null;
}

/** A term whose observed value differs from the usual one. */
export interface ChangedTerm extends Term {
  usual: string;
}

/** After this long, a changed value becomes the usual one. */
const usualAfterMs = 7 * 86_400_000;
/** Tolerance in percentage points: rounding and exchange rates make a share fluctuate by less. */
const shareTolerancePercent = 0.25;
/** Per anchor; further terms are ignored. */
const mostTerms = 200;

/**
 * Compares the observed terms with the known ones. `checkedKeyPrefixes` lists the terms that this observation would have
 * contained; a known term that matches one of them but was not observed has been withdrawn. A term that becomes available
 * counts as usual at once.
 */
export function judgeTerms(
  known: readonly KnownTerm[],
  observedTerms: readonly Term[],
  checkedKeyPrefixes: readonly string[],
  nowMs: number,
): { terms: KnownTerm[]; changed: ChangedTerm[]; judged: string[] } {
  const observedByKey = new Map(observedTerms.map((term) => [term.key, term]));
  const terms = known.map((term) => {
    const wasChecked = checkedKeyPrefixes.some(
      (words) => term.key === words || term.key.startsWith(`${words} `),
    );
    const value = observedByKey.get(term.key)?.value ?? (wasChecked ? 'none' : undefined);
    return value === undefined
      ? { term, isJudged: false }
      : { term: judge(term, value, nowMs), isJudged: true };
  });
  const knownKeys = new Set(known.map(({ key }) => key));
  const fresh = observedTerms
    .filter(({ key }) => !knownKeys.has(key))
    .map((term) => ({ ...term, other: null }));
  const judged = terms.filter(({ isJudged }) => isJudged).map(({ term }) => term);
  return {
    terms: [...terms.map(({ term }) => term), ...fresh].slice(0, mostTerms),
    changed: judged.flatMap(({ other: deviation, ...term }) =>
      deviation === null ? [] : [{ ...term, value: deviation.value, usual: term.value }],
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
  return kind === 'share'
    ? Math.abs(Number(value) - Number(other)) <= shareTolerancePercent
    : value === other;
}

/** Describes a changed term for people. */
export function describeChange({ code, kind, key, usual, value }: ChangedTerm): string {
  if (code === 'quotes_unavailable') return 'gives no price any more';
  if (kind === 'offered') return key.split(' ').at(-1) ?? '';
  const unit = kind === 'share' ? ' % of the amount' : '';
  return `from ${usual}${unit} to ${value}${unit}`.slice(0, 200);
}
