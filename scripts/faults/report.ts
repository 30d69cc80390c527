import type { Chronicle, ChronicleEvent } from './actions/stage.js';
import type { Answer } from './ports.js';
import { afterElectionP99Ms, type Check, percentile, resumptions, type StormSeen } from './verdict.rules.js';

/** How many faults of one check are printed; the file has all of them. */
const printedFaults = 12;

/** What was done, answered and found, for a person. */
export function report(
  seen: StormSeen,
  chronicle: Chronicle,
  counts: Readonly<Record<string, number>>,
): string {
  const done = [...chronicle.done].map(([kind, count]) => `  ${kind.padEnd(24)}${count}`);
  const named = Object.entries(counts).map(([name, count]) => `  ${name.padEnd(32)}${count}`);
  const back = resumptions(seen).map((ms) => ms / 1_000);
  return [
    'Done',
    ...done,
    `  elections                ${seen.electedAtMs.length}`,
    `  kills                    ${seen.kills.length}`,
    '',
    'Answers, by kind and status',
    ...answersTable(seen.answers),
    '',
    'Counted and compared',
    ...named,
    '',
    `From an election to the next acknowledged write: median ${percentile(back, 0.5).toFixed(1)} s, at most ${Math.max(0, ...back).toFixed(1)} s`,
    `p99 of public reads from the election until the frozen primary went on: ${afterElectionP99Ms(seen).toFixed(1)} ms`,
  ].join('\n');
}

function answersTable(answers: readonly Answer[]): string[] {
  const rows = new Map<string, number[]>();
  for (const { kind, status, tookMs } of answers) {
    const name = `${kind.padEnd(10)}${status}`;
    const row = rows.get(name) ?? [];
    row.push(tookMs);
    rows.set(name, row);
  }
  return [...rows]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, took]) => {
      const [p50, p99] = [0.5, 0.99].map((share) => `${percentile(took, share).toFixed(0)} ms`);
      return `  ${name.padEnd(20)}${String(took.length).padStart(7)}   p50 ${p50}, p99 ${p99}`;
    });
}

/** A failed check with its faults, each after what was done to the service before it. */
export function failureText(
  { name, faults }: Check,
  seed: number,
  events: readonly ChronicleEvent[],
): string {
  const shown = faults.slice(0, printedFaults).map((fault) => `    ${fault}${before(fault, events)}`);
  const more = faults.length > printedFaults ? [`    … and ${faults.length - printedFaults} more`] : [];
  return [`FAILED  ${name} (--seed ${seed})`, ...shown, ...more].join('\n');
}

/** The last event before a fault that begins with a time of day. */
function before(fault: string, events: readonly ChronicleEvent[]): string {
  const [at] = /^\d\d:\d\d:\d\d\.\d{3}/.exec(fault) ?? [];
  const last = at && events.filter((one) => new Date(one.atMs).toISOString().slice(11, 23) <= at).at(-1);
  return last ? ` — after ${last.kind}: ${last.what}` : '';
}
