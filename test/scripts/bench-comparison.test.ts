import { describe, expect, it } from '@jest/globals';
import { latencyRows } from '../../scripts/bench/latency.js';
import { compareFigures, parseTables } from '../../scripts/bench/lib/against.js';
import { timeLimitMs } from '../../scripts/bench/lib/bench.js';
import { type BenchRow, toTables } from '../../scripts/bench/lib/figures.js';
import { createMeasure, type Measured } from '../../scripts/bench/lib/measure.js';
import type { Program } from '../../scripts/bench/lib/program.js';
import { memoryRows } from '../../scripts/bench/memory.js';

/** The output of one run of a bench. */
function printed(requests: string, p99: string): string {
  const rows = [
    { table: 'GET /x, cached', what: 'bare', figures: { requests: '20,000/s', p99: '1.5 ms' } },
    { table: 'GET /x, cached', what: 'this service', figures: { requests, p99, of: '×0.31', note: '' } },
  ];
  return `Node v20\n\n## http (60 s)\n\n${toTables(rows)}`;
}

describe('comparing the benches of two checkouts', () => {
  it('reads every number of the printed tables, with its unit', () => {
    expect(parseTables(printed('8,412/s', '118 µs'))).toEqual([
      { table: 'GET /x, cached', what: 'bare', column: 'requests', value: 20_000, unit: '/s' },
      { table: 'GET /x, cached', what: 'bare', column: 'p99', value: 1.5, unit: 'ms' },
      { table: 'GET /x, cached', what: 'this service', column: 'requests', value: 8_412, unit: '/s' },
      { table: 'GET /x, cached', what: 'this service', column: 'p99', value: 118, unit: 'µs' },
      { table: 'GET /x, cached', what: 'this service', column: 'of', value: 0.31, unit: '×' },
    ]);
  });

  it('prints the median of the ratios of all rounds, and which direction is better', () => {
    const rounds = (...values: string[]) => values.map((value) => parseTables(printed(value, '2 ms')));
    const rows = compareFigures(rounds('900/s', '100/s', '3,000/s'), rounds('1,000/s', '50/s', '1,000/s'));
    expect(rows.find(({ what }) => what === 'this service: requests')?.figures).toEqual({
      old: '1,000 /s',
      new: '900 /s',
      'new/old': '2.00',
      better: 'higher',
    });
  });

  it('marks a row that the old checkout does not print', () => {
    const [row] = compareFigures([parseTables(printed('1/s', '1 ms'))], [[]]);
    expect(row?.figures['new/old']).toBe('only in the new one');
  });

  it('matches every row of latency and memory, at whatever rate and number of addresses', () => {
    const latency = (perSecond: number) => {
      const measured = { perSecond, p50Ms: 1, p99Ms: 2, busy: 0.5, generatorBusy: 1 } as Measured;
      return latencyRows({ 'bare node:http': [measured], 'this service': [measured] });
    };
    const memory = (seen: number) => memoryRows({ idle: 1e8, comingBack: 2e8, full: 3e8, seen });
    const parsed = (rows: BenchRow[]) => [parseTables(toTables(rows))];
    for (const [now, before] of [
      [latency(12_000), latency(11_000)],
      [memory(1_002_345), memory(1_001_234)],
    ] as const) {
      const ratios = compareFigures(parsed(now), parsed(before)).map(({ figures }) => figures['new/old']);
      expect(ratios.length).toBeGreaterThan(3);
      expect(ratios).not.toContain('only in the new one');
    }
  });
});

describe('a bench with longer measurements', () => {
  it('has more time in proportion, and never less than its limit', () => {
    expect([1, 3, 60].map((seconds) => timeLimitMs({}, seconds))).toEqual([240_000, 240_000, 4_800_000]);
    expect(timeLimitMs({ limitMs: 480_000 }, 6)).toBe(960_000);
  });

  it('waits for a measurement a minute longer than it lasts', async () => {
    const limits: unknown[] = [];
    const ask = async (question: string, _about: unknown, limitMs?: number) => {
      if (question === 'measure') limits.push(limitMs);
      return { answers: 1 };
    };
    const measure = createMeasure({ ask } as unknown as Program, undefined);
    const target = { url: 'http://127.0.0.1:1', cpuMs: async () => 0 };
    await measure(target, { request: { path: '/' }, clients: { kind: 'new' }, seconds: 60 });
    expect(limits).toEqual([120_000]);
  });
});
