import { setTimeout as delay } from 'node:timers/promises';
import type { Program } from '../lib/program.js';
import type { TrafficReport } from './traffic.js';

const lowestRate = 50;
const growth = 1.3;
const highestRate = 50_000;
const longestP99Ms = 1_000;
const warmUpMs = 5_000;
/** Requests that wait at the end of a step, in seconds of its rate. */
const longestWaitSeconds = 0.1;

/**
 * The highest rate, in steps of 30 %, at which the service keeps up: hardly anything waits at the end of the step, and the
 * p99 of everything but registrations is under a second. A step is tried twice, because another program may have used the
 * processor.
 */
export async function findSustainableRate(options: {
  traffic: Program;
  report: () => Promise<TrafficReport>;
  seconds: number;
  say: (line: string) => void;
}): Promise<number> {
  const { traffic, report, seconds, say } = options;

  async function sustains(rate: number): Promise<boolean> {
    await traffic.ask('rate', rate);
    // A step begins as if this had always been the rate.
    await delay(1_000);
    await report();
    await Promise.race([delay(seconds * 1_000), traffic.crashed]);
    const { answers, p99Ms, waiting } = await report();
    await traffic.ask('rate', 0);
    say(
      `${rate}/s: ${Math.round(answers / seconds)}/s answered, p99 ${Math.round(p99Ms)} ms, ${waiting} wait`,
    );
    await delay(2_000);
    return p99Ms < longestP99Ms && waiting < rate * longestWaitSeconds;
  }

  await traffic.ask('rate', lowestRate);
  await delay(warmUpMs);
  let sustained = 0;
  for (let rate = lowestRate; rate < highestRate; rate = Math.round(rate * growth)) {
    if (!(await sustains(rate)) && !(await sustains(rate))) break;
    sustained = rate;
  }
  if (sustained === 0) throw new Error(`the service does not sustain ${lowestRate}/s on this machine`);
  return sustained;
}
