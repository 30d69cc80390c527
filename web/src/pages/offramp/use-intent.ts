import { type IntentAnswer, unwrap } from '@fairlead/contract/client';
import { client } from '../../data/client.js';
import { type Answered, useAnswer } from '../../data/use-answer.js';

export function intentKey(intentHash: string): readonly unknown[] {
  return ['intent', intentHash];
}

/**
 * An intent, kept up to date while the page is visible. `isStreamed`: its changes arrive by the stream, so it is polled only
 * for how its outcome counts, which other outcomes of the day may change.
 */
export function useIntent(intentHash: string | undefined, isStreamed = false): Answered<IntentAnswer> {
  return useAnswer(
    intentHash === undefined
      ? undefined
      : {
          key: intentKey(intentHash),
          ask: async (signal) => unwrap(await client.intents.getIntent({ params: { intentHash }, signal })),
          everyMs: isStreamed ? besideStreamMs : pollMs,
        },
  );
}

/** Often while something may change at any moment; rarely where only a dispute or a late recovery can still come. */
function pollMs(intent: IntentAnswer | undefined): number {
  return intent === undefined || intent.status === 'pending' ? 3_000 : besideStreamMs(intent);
}

function besideStreamMs(intent: IntentAnswer | undefined): number {
  const isMoving = intent?.dispute?.status === 'open';
  return isMoving ? 5_000 : 60_000;
}
