import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { findMongod } from '../../find-mongod.js';
import { type BenchRow, median, significant, toTables } from './figures.js';

export interface Comparison {
  name: string;
  /** The checkouts to compare: this one and an older one, each with its packages installed. */
  checkouts: { new: string; old: string };
  rounds: number;
  say: (line: string) => void;
  signal: AbortSignal;
}

type Side = keyof Comparison['checkouts'];

/** One figure of a printed table, without its unit. */
interface Figure {
  table: string;
  what: string;
  column: string;
  value: number;
  unit: string;
}

/**
 * Runs each checkout's own `npm run bench NAME` in turns and compares what they print, row by row. The order changes
 * every round, so that neither side always runs on the warmer machine. Both use the same mongod.
 */
export async function compareCheckouts(comparison: Comparison): Promise<BenchRow[]> {
  const { name, checkouts, rounds, say, signal } = comparison;
  for (const folder of Object.values(checkouts)) {
    if (!existsSync(join(folder, 'node_modules')))
      throw new Error(`${folder} has no installed packages: run npm ci there first`);
  }
  const mongod = await findMongod({ env: { ...process.env, MONGODB_URI: undefined } });
  const env = mongod.kind === 'binary' ? { MONGOMS_SYSTEM_BINARY: mongod.path } : {};
  const results: Record<Side, Figure[][]> = { new: [], old: [] };
  for (let round = 0; round < rounds; round += 1) {
    const order: Side[] = round % 2 === 0 ? ['old', 'new'] : ['new', 'old'];
    for (const side of order) {
      say(`${name}: round ${round + 1} of ${rounds}, ${side} …`);
      const { stdout } = await execa('npm', ['run', '--silent', 'bench', '--', name], {
        cwd: checkouts[side],
        env,
        stdin: 'ignore',
        stderr: 'inherit',
        cancelSignal: signal,
        forceKillAfterDelay: 30_000,
      });
      results[side].push(parseTables(stdout));
    }
  }
  return compareFigures(results.new, results.old);
}

/** Reads the Markdown tables that a bench prints; cells without a number are left out. */
export function parseTables(text: string): Figure[] {
  const figures: Figure[] = [];
  let table = '';
  let columns: string[] | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('### ')) {
      table = line.slice('### '.length);
      columns = undefined;
    }
    if (!line.startsWith('|') || line.startsWith('|--')) continue;
    const [what = '', ...cells] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    if (columns === undefined) {
      columns = cells;
      continue;
    }
    for (const [place, cell] of cells.entries()) {
      const parts = /^(×?)(-?[\d,]+(?:\.\d+)?) ?([^\s,]*)/.exec(cell);
      if (parts === null) continue;
      const [, times = '', digits = '', unit = ''] = parts;
      const value = Number(digits.replaceAll(',', ''));
      figures.push({ table, what, column: columns[place] ?? '', value, unit: times || unit });
    }
  }
  return figures;
}

/** One row per figure that both sides printed in every round: both medians, and the median of the rounds' ratios. */
export function compareFigures(newRounds: readonly Figure[][], oldRounds: readonly Figure[][]): BenchRow[] {
  const valueIn = (round: readonly Figure[] | undefined, { table, what, column }: Figure) =>
    round?.find((each) => each.table === table && each.what === what && each.column === column)?.value;
  return (newRounds[0] ?? []).map((figure) => {
    const { table, what, column, unit } = figure;
    const pairs = newRounds.map((round, place) => [
      valueIn(round, figure) ?? Number.NaN,
      valueIn(oldRounds[place], figure) ?? Number.NaN,
    ]);
    const middle = (pick: (pair: number[]) => number) => median(pairs.map(pick));
    const shown = (value: number) =>
      unit === '×' ? `×${significant(value)}` : `${significant(value)} ${unit}`;
    const ratio = middle(([now = Number.NaN, before = Number.NaN]) => now / before);
    return {
      table,
      what: `${what}: ${column}`,
      figures: {
        old: shown(middle(([, before = Number.NaN]) => before)),
        new: shown(middle(([now = Number.NaN]) => now)),
        'new/old': Number.isNaN(ratio) ? 'only in the new one' : ratio.toFixed(2),
        better: unit === '/s' ? 'higher' : ['ms', 'µs', 'MB'].includes(unit) ? 'lower' : '',
      },
    };
  });
}

export function printComparison(name: string, rounds: number, rows: readonly BenchRow[]): void {
  console.log(`\n## ${name}, new against old, medians of ${rounds} rounds in turns\n\n${toTables(rows)}`);
}
