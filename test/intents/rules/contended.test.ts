import { expect, it } from '@jest/globals';
import { ApiError } from '../../../server/errors.js';
import { createMakeProgress } from '../../../server/features/intents/transition/progress.js';
import { unpaidIntent } from '../../fixtures/intents/stored-intents.js';

it('a report that loses to other writers eight times is answered with 503 and retryAfter 1, and not with 500', async () => {
  const intent = unpaidIntent(1);
  let tries = 0;
  const pauses: number[] = [];
  const progress = createMakeProgress({
    store: {
      findByHash: async () => intent,
      findCurrent: async () => intent,
      async saveProgress() {
        tries += 1;
        return false;
      },
    },
    ownership: { passToSender: async () => 'no_claimant' },
    inTransaction: async (work) => work({} as never),
    writeEvent: async () => 'evt_1',
    markDays: async () => undefined,
    clock: () => intent.createdAt.getTime(),
    pauseBeforeTry: async (nth) => void pauses.push(nth),
    limits: { failureGraceMs: 86_400_000, ledger: false },
  });
  const refused = await progress(intent._id, { learned: null }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({ code: 'NOT_READY', status: 503, extras: { retryAfter: 1 } });
  expect(tries).toBe(8);
  expect(pauses).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});
