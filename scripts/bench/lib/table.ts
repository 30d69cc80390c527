import type { BenchRow } from './bench.js';

/** The rows as Markdown tables, one for each heading, in the order of their first rows. */
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
    ...rows.map((row) => [row.what, ...columns.map((c) => row.figures[c] ?? '')]),
  ];
  const widths = ['', ...columns].map((_, place) =>
    Math.max(3, ...lines.map((line) => line[place]?.length ?? 0)),
  );
  const padded = lines.map(
    (line) =>
      `| ${line.map((cell, place) => (place === 0 ? cell.padEnd(widths[place] ?? 0) : cell.padStart(widths[place] ?? 0))).join(' | ')} |`,
  );
  const rule = `|${widths.map((width, place) => (place === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [padded[0], rule, ...padded.slice(1)].join('\n');
}
