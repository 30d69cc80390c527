/**
 * Plays adversaries against the score formulas over a simulated year, and prints where each ends beside an honest
 * anchor, and what it spent: `npm run lab`, with `-- --seed 7` for another year. docs/reputation.md explains the table.
 */
import { parseArgs } from 'node:util';
import { legendOf, reportOf } from './report.js';
import { playYears } from './year.js';

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });
const seed = Number(values.seed);
if (!Number.isSafeInteger(seed) || seed < 0) throw new Error('--seed takes a whole number');
const played = playYears(seed);
process.stdout.write(`${reportOf(played)}\n${legendOf(played)}`);
