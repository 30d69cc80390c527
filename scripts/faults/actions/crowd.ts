import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TickSeen } from '../verdict.rules.js';
import type { Action, Stage } from './stage.js';

const times = 30;
const patienceMs = 15_000;
/** Longer than an election, during which no tick can run. */
const runsWithinMs = 40_000;
const pauseMs = 200;

/**
 * Asks every instance for a tick at the same moment, again and again, as a scheduler beside each of them would: one finds
 * the lease free, and the others find it taken.
 */
export const crowdTick: Action = async (fault, stage) => {
  const { ticks } = stage.chronicle;
  const before = ticks.length;
  const deadline = stage.clock() + runsWithinMs;
  const others = new Map<string, number>();
  for (let asked = 0; asked < times || (ticks.length === before && stage.clock() < deadline); asked += 1) {
    for (const tick of await Promise.all(stage.instances.urls().map((url) => tickOf(url, stage)))) {
      if (typeof tick === 'string') others.set(tick, (others.get(tick) ?? 0) + 1);
      else ticks.push(tick);
      if (tick === '500') stage.chronicle.failedTicks += 1;
    }
    await delay(pauseMs);
  }
  const ran = ticks.length - before;
  const rest = [...others].map(([status, count]) => `${count} × ${status}`).join(', ');
  stage.chronicle.say(fault, `asks every instance for a tick at once, again and again: ${ran} ran; ${rest}`);
  return ran > 0 ? 'done' : 'missed';
};

/** A new client address each time, so that the limit does not interfere; other tests cover it. */
function someone(): string {
  return `10.255.${randomInt(256)}.${randomInt(256)}`;
}

/** The tick, or the status of another answer: another instance runs a tick, or this one cannot. */
async function tickOf(url: string, { cronSecret }: Stage): Promise<TickSeen | string> {
  try {
    const answer = await fetch(`${url}/api/publisher/tick`, {
      method: 'POST',
      headers: { authorization: `Bearer ${cronSecret}`, 'x-forwarded-for': someone() },
      signal: AbortSignal.timeout(patienceMs),
    });
    const body = (await answer.json()) as { startedAt: string; finishedAt: string };
    if (answer.status !== 200) return String(answer.status);
    return { url, startedAtMs: Date.parse(body.startedAt), finishedAtMs: Date.parse(body.finishedAt) };
  } catch {
    return 'no answer';
  }
}
