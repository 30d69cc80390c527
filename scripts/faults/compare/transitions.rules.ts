import type { Intent } from '../../../server/features/intents/intent.js';
import { isOver, standingsOf, stepsOf } from '../../../server/features/intents/steps.rules.js';
import { type EntryOf, entriesOf, type LedgerEntry } from '../ledger-entries.js';
import type { Finding } from '../ports.js';
import { byKey } from './ids.rules.js';

type Told = EntryOf<'transition_told'>;

/**
 * Compares the transitions that the streams of intents sent with the stored ones: each occurs once, in order, without a gap.
 * A stream that sent nothing lacks them all.
 */
export function compareTransitions(entries: readonly LedgerEntry[], intents: readonly Intent[]): Finding[] {
  const stored = byKey(intents, ({ _id }) => _id);
  const streams = new Map<string, Told[]>();
  for (const { intentHash } of entriesOf(entries, 'stream_followed')) streams.set(intentHash, []);
  for (const told of entriesOf(entries, 'transition_told'))
    streams.set(told.intentHash, [...(streams.get(told.intentHash) ?? []), told]);
  return [...streams].flatMap(([id, told]) => {
    const intent = stored.get(id);
    // What was registered without an acknowledgement may not be there: the intents are compared by themselves.
    if (intent === undefined && told.length === 0) return [];
    const found = intent === undefined ? ['It was told and is lost.'] : faultsOfStream(told, intent);
    return found.map((what) => ({ of: 'transitions', id, what }));
  });
}

function faultsOfStream(told: readonly Told[], intent: Intent): string[] {
  const found: string[] = [];
  told.forEach(({ number }, index) => {
    if (number !== index + 1) found.push(`The transition ${number} was told in place ${index + 1}.`);
  });
  const steps = stepsOf(intent);
  const standings = standingsOf(steps);
  for (const { number, transition, at, status, transactionStatus } of told) {
    const step = steps[number - 1];
    const standing = standings[number - 1];
    const isSame =
      step?.kind === transition &&
      step.at.toISOString() === at &&
      standing?.status === status &&
      standing.word === transactionStatus;
    if (isSame) continue;
    const is = step === undefined ? 'nothing' : `${step.kind} of ${step.at.toISOString()}`;
    found.push(`The transition ${number} was told as ${transition} of ${at}; stored is ${is}.`);
  }
  if (isOver(intent, { asksLedger: true }) && told.length < steps.length)
    found.push(`It is over after ${steps.length} transitions, and ${told.length} were told.`);
  return found;
}
