import { describe, expect, it } from '@jest/globals';
import { compareFigures, parseTables } from '../../scripts/bench/lib/against.js';
import { toTables } from '../../scripts/bench/lib/figures.js';

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
});
