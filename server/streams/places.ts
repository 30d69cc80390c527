import { ApiError } from '../errors.js';

/** Why a stream was not opened. */
export const streamRefusals = ['client_full', 'all_full'] as const;
export type StreamRefusal = (typeof streamRefusals)[number];

/** After this time, a reader that was refused may try again. */
const retryAfterSeconds = 10;

/** Bounds the streams that are open at once: of one client, and of all. */
export function createPlaces(rules: {
  max: number;
  maxPerClient: number;
  onRefusal(why: StreamRefusal): void;
}) {
  const perClient = new Map<string, number>();
  let open = 0;

  function refuse(why: StreamRefusal): never {
    rules.onRefusal(why);
    const retryAfter = retryAfterSeconds;
    if (why === 'all_full') {
      throw new ApiError('NOT_READY', 'This instance holds as many streams as it can.', { retryAfter });
    }
    throw new ApiError(
      'RATE_LIMITED',
      `This client holds ${rules.maxPerClient} streams, as many as it may; close one, or try again later.`,
      { retryAfter },
    );
  }

  return {
    /**
     * Takes a place and returns the function that gives it back. Throws RATE_LIMITED if the client has used up its own,
     * NOT_READY if all are taken.
     */
    take(client: string): () => void {
      const held = perClient.get(client) ?? 0;
      if (held >= rules.maxPerClient) refuse('client_full');
      if (open >= rules.max) refuse('all_full');
      perClient.set(client, held + 1);
      open += 1;
      return () => {
        open -= 1;
        const left = (perClient.get(client) ?? 1) - 1;
        if (left === 0) perClient.delete(client);
        else perClient.set(client, left);
      };
    },
  };
}
