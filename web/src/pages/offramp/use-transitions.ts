import type { IntentTransition } from '@fairlead/contract/client';
import { useState } from 'preact/hooks';
import { client } from '../../data/client.js';
import { keepAnswer } from '../../data/use-answer.js';
import { useStream } from '../../data/use-stream.js';
import { intentKey } from './use-intent.js';

export interface Followed {
  /** Every transition so far, in their order. */
  transitions: IntentTransition[];
  /** Whether the next one is told as it happens. */
  isLive: boolean;
}

/**
 * Follows one intent as it is streamed, while the page is seen; each transition brings the intent as it stands, which
 * `useIntent` then shows. That asks for the intent besides, and the page shows what it is answered where this is refused.
 */
export function useTransitions(intentHash: string): Followed {
  const [transitions, setTransitions] = useState<IntentTransition[]>([]);
  const standing = useStream({
    key: ['transitions', intentHash],
    open: (options) => client.intents.stream({ params: { intentHash } }, options),
    onEvent({ data }) {
      setTransitions((before) => [...before, data]);
      keepAnswer(intentKey(intentHash), data.intent);
    },
  });
  return { transitions, isLive: standing.state === 'live' };
}
