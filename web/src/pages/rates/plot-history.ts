import type { RateHistoryPoint } from '@fairlead/contract/client';

export interface HistoryPlot {
  /** Epoch seconds, ascending. */
  times: number[];
  /** One line per anchor that had a ranked quote, by id; null where it had none. */
  lines: { anchorId: string; values: (number | null)[] }[];
}

/**
 * The samples as lines. Nothing is filled in: an anchor without a ranked quote has a gap, and so has every anchor where
 * samples are further apart than one slot and a half. Quotes outside the band are left out, since one of them would
 * flatten all others.
 */
export function plotHistory(samples: readonly RateHistoryPoint[], slotSeconds: number): HistoryPlot {
  const ordered = [...samples].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const times: number[] = [];
  const valuesOf = new Map<string, (number | null)[]>();
  for (const sample of ordered) {
    const time = Date.parse(sample.at) / 1_000;
    const last = times.at(-1);
    if (last !== undefined && time - last > slotSeconds * 1.5) times.push(last + slotSeconds);
    times.push(time);
    for (const quote of sample.quotes) {
      if (quote.unranked !== null) continue;
      const values = valuesOf.get(quote.anchorId) ?? [];
      valuesOf.set(quote.anchorId, values);
      values[times.length - 1] = Number(quote.rate);
    }
  }
  const lines = [...valuesOf.keys()].sort().map((anchorId) => ({
    anchorId,
    values: Array.from(times, (_, index) => valuesOf.get(anchorId)?.[index] ?? null),
  }));
  return { times, lines };
}

/**
 * The ends of the value scale, on round figures of about 2 % of the rates, so that they stay where they are from one visit
 * to the next.
 */
export function steadyRange({ lines }: HistoryPlot): [number, number] {
  const values = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const power = 10 ** Math.floor(Math.log10(most / 50));
  const step = ([1, 2, 5].find((times) => times * power >= most / 50) ?? 10) * power;
  const low = Math.floor(least / step);
  return [low * step, Math.max(low + 1, Math.ceil(most / step)) * step];
}
