import { client } from '../../data/client.js';
import { keepAnswer } from '../../data/use-answer.js';
import { useStream } from '../../data/use-stream.js';
import { intentKey } from './use-intent.js';

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
