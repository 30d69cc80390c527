import { type IntentAnswer, unwrap } from '@fairlead/contract/client';
import { client } from '../../data/client.js';
import { type Answered, keepAnswer, useAnswer } from '../../data/use-answer.js';
import { useStream } from '../../data/use-stream.js';

function intentKey(intentHash: string): readonly unknown[] {
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

/**
 * Follows one intent by its stream while the page is visible, for `useIntent` to show, and returns whether the next change
 * will arrive as it happens. `useIntent` also polls; if the service refuses the stream, the page shows the polled answer.
 */
export function useIntentStream(intentHash: string): boolean {
  const standing = useStream({
    key: ['intent', intentHash],
    open: (options) => client.intents.stream({ params: { intentHash } }, options),
    onEvent: ({ data }) => keepAnswer(intentKey(intentHash), data),
  });
  return standing.state === 'live';
}
