/** One line of the tables that a bench prints. */
export interface BenchRow {
  /** Heading; rows with the same heading form a table. */
  table: string;
  /** What was measured. */
  what: string;
  /** Column to figure as printed, with its unit. */
  figures: Record<string, string>;
}

/** The middle value, or the mean of the middle two. Throws where there are none. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
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
  return median(measured.map(pick));
}

/** `×0.83` */
export function ratio(value: number, reference: number): string {
  return `×${significant(value / reference)}`;
}

/** The median of the ratios of each round, since a machine whose speed changes does so for both alternatives of a round. */
export function ratioOfRounds<T>(
  measured: readonly T[],
  reference: readonly T[],
  pick: (each: T) => number,
): string {
  const references = reference.map(pick);
  const ratios = measured.map((each, round) => pick(each) / (references[round] ?? Number.NaN));
  return ratio(median(ratios), 1);
}

/** `8,412/s` */
export function perSecond(value: number): string {
  return `${significant(value)}/s`;
}

/** `1.42 ms` */
export function ms(value: number): string {
  return `${significant(value)} ms`;
}

/** `118 µs` */
export function microseconds(value: number): string {
  return `${significant(value)} µs`;
}

/** `87 %` */
export function percent(share: number): string {
  return `${significant(share * 100)} %`;
}

/** `64.3 MB`, of 10⁶ bytes. */
export function megabytes(bytes: number): string {
  return `${significant(bytes / 1e6)} MB`;
}

/** Rounds to three digits, which is the precision of such a measurement; whole numbers are kept whole. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return 'n/a';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}

/** The rows as Markdown tables, one per heading, in the order of their first rows. */
export function toTables(rows: readonly BenchRow[]): string {
  const headings = [...new Set(rows.map((row) => row.table))];
  return headings
    .map((heading) => `### ${heading}\n\n${toTable(rows.filter((row) => row.table === heading))}\n`)
    .join('\n');
}

function toTable(rows: readonly BenchRow[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row.figures)))];
  const lines = [
    ['', ...columns],
    ...rows.map(({ what, figures }) => [what, ...columns.map((column) => figures[column] ?? '')]),
  ];
  const widths = lines[0]?.map((_, place) => Math.max(3, ...lines.map((line) => line[place]?.length ?? 0)));
  const pad = (cell: string, place: number) => {
    const width = widths?.[place] ?? 0;
    return place === 0 ? cell.padEnd(width) : cell.padStart(width);
  };
  const [head = '', ...rest] = lines.map((line) => `| ${line.map(pad).join(' | ')} |`);
  const rule = widths?.map((width, place) =>
    place === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`,
  );
  return [head, `|${rule?.join('|')}|`, ...rest].join('\n');
}
