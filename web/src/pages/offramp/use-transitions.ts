import type { IntentTransition } from '@fairlead/contract/client';
import { useState } from 'preact/hooks';
import { client } from '../../data/client.js';
import { keepAnswer } from '../../data/use-answer.js';
import { useStream } from '../../data/use-stream.js';
import { intentKey } from './use-intent.js';

export interface Followed {
  /** Every transition so far, in their order. */
  transitions: IntentTransition[];
  /** Whether the next transition will arrive as it happens. */
  isLive: boolean;
}

/**
 * Follows one intent by its stream while the page is visible; each transition contains the present intent, which `useIntent`
 * then shows. `useIntent` also polls; if the service refuses the stream, the page shows the polled answer.
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
