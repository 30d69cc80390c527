/** One line of the tables that a bench prints. */
export interface BenchRow {
  /** Heading; rows with the same heading form a table. */
  table: string;
  /** What was measured. */
  what: string;
  /** Column to figure as printed, with its unit. */
  figures: Record<string, string>;
}

/** By linear interpolation between the closest ranks; `share` in percent. Throws where there are no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = ((sorted.length - 1) * share) / 100;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error('no values to take a percentile of');
  return below + (above - below) * (place - Math.floor(place));
}

/** The median of one figure of several measurements. */
export function medianOf<T>(measured: readonly T[], pick: (each: T) => number): number {
  return percentile(measured.map(pick), 50);
}

/** The median of the ratios of each round, since a machine whose speed changes does so for both alternatives of a round. */
export function ratioOfRounds<T>(
  measured: readonly T[],
  reference: readonly T[],
  pick: (each: T) => number,
): string {
  const references = reference.map(pick);
  const ratios = measured.map((each, round) => pick(each) / (references[round] ?? Number.NaN));
  return ratio(percentile(ratios, 50));
}

export const ratio = (value: number) => `×${significant(value)}`;
export const perSecond = (value: number) => `${significant(value)}/s`;
export const ms = (value: number) => `${significant(value)} ms`;
export const microseconds = (value: number) => `${significant(value)} µs`;

/** Rounds to three digits, which is the precision of such a measurement; whole numbers are kept whole. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return 'n/a';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}

/** The rows as Markdown tables, one per heading, in the order of their first rows. */
export function toTables(rows: readonly BenchRow[]): string {
  const headings = [...new Set(rows.map(({ table }) => table))];
  return headings
    .map((heading) => {
      const own = rows.filter(({ table }) => table === heading);
      const columns = [...new Set(own.flatMap(({ figures }) => Object.keys(figures)))];
      const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
      return [
        `### ${heading}\n`,
        line(['', ...columns]),
        line(['---', ...columns.map(() => '---:')]),
        ...own.map(({ what, figures }) => line([what, ...columns.map((column) => figures[column] ?? '')])),
        '',
      ].join('\n');
    })
    .join('\n');
}

/**
 * A row for each line: `figuresOf` its results and those of the first line, which is what the others are compared with.
 * Measures each line once per round, the order moving on by one every round, so that other load on the machine affects
 * all alike. A first round warms up and does not count: of a process that has just started, V8 has optimised little.
 */
export async function rowsInTurns<T>(
  table: string,
  rounds: number,
  lines: readonly { what: string; measure: () => Promise<T> }[],
  figuresOf: (results: readonly T[], reference: readonly T[]) => BenchRow['figures'],
): Promise<BenchRow[]> {
  const measured = lines.map((line) => ({ ...line, results: [] as T[] }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const place of measured.keys()) {
      const line = measured[(place + round) % measured.length];
      const result = await line?.measure();
      if (round > 0 && result !== undefined) line?.results.push(result);
    }
  }
  const reference = measured[0]?.results ?? [];
  return measured.map(({ what, results }) => ({ table, what, figures: figuresOf(results, reference) }));
}
