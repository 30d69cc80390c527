import { type BenchRow, microseconds, ms, percent, perSecond, ratioOfRounds } from './figures.js';
import { linesInTurns } from './in-turns.js';
import { type Measured, mediansOf } from './measure.js';

export interface LoadLine {
  table: string;
  what: string;
  measure: () => Promise<Measured>;
}

/** Columns that compare a line with another one of its table: heading to `what`. */
export type References = Record<string, string>;

const bytesTolerance = 0.02;
const rate = ({ perSecond }: Measured) => perSecond;

/**
 * Measures the lines in turns. A first round warms up and does not count: of a process that has just started, V8 has
 * optimised little, and all clients open their windows at once. Throws where one has not sent as many bytes an answer as
 * the line `sameBytesAs` of its table, but for the digits of a counter.
 */
export async function compareLoads(
  rounds: number,
  lines: readonly LoadLine[],
  { references, sameBytesAs }: { references: References; sameBytesAs?: string },
): Promise<BenchRow[]> {
  const warmAndCounted = await linesInTurns(1 + rounds, lines);
  const turns = warmAndCounted.map((line) => ({ ...line, results: line.results.slice(1) }));
  return turns.map(({ table, what, results }) => {
    const figures = mediansOf(results);
    const find = (other: string) =>
      turns.find((each) => each.table === table && each.what === other)?.results;
    const bare = sameBytesAs === undefined ? undefined : find(sameBytesAs);
    if (bare !== undefined) assertSameBytes(`${table}: ${what}`, figures, mediansOf(bare));
    const compared = Object.entries(references).map(([column, other]) => {
      const reference = find(other);
      return [column, reference === undefined ? '' : ratioOfRounds(results, reference, rate)];
    });
    return {
      table,
      what,
      figures: {
        requests: perSecond(figures.perSecond),
        ...Object.fromEntries(compared),
        p50: ms(figures.p50Ms),
        p99: ms(figures.p99Ms),
        processor: microseconds(figures.cpuMicros),
        mongod: microseconds(figures.mongodMicros),
        'server busy': percent(figures.busy),
        'generator busy': percent(figures.generatorBusy),
      },
    };
  });
}

function assertSameBytes(what: string, measured: Measured, bare: Measured): void {
  const share = measured.bytesPerAnswer / bare.bytesPerAnswer;
  if (Math.abs(share - 1) <= bytesTolerance) return;
  throw new Error(
    `${what}: ${measured.bytesPerAnswer} bytes an answer are not the ${bare.bytesPerAnswer} of the bare server`,
  );
}
