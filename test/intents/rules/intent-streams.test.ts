import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { createIntentStreams } from '../../../server/features/intents/intent-streams.js';
import { startMs } from '../../fixtures/intents/intent-states.js';
import { unpaidIntent } from '../../fixtures/intents/stored-intents.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const at = new Date(startMs);
const registered = unpaidIntent(1);
const expired: Intent = {
  ...registered,
  status: 'expired',
  open: false,
  steps: [
    { kind: 'registered', at },
    { kind: 'expired', at },
  ],
};

/** `committed`: the intent as a majority has it. `stored`: the intent as the primary has it. */
function following(committed: Intent | null, stored = committed) {
  const world = { committed, stored, text: '', isWatching: false };
  let tell: Parameters<Parameters<typeof createIntentStreams>[0]['streams']['watchSteps']>[0] | undefined;
  const streams = createIntentStreams({
    store: { findByHash: async () => world.stored },
    streams: {
      readCommitted: async () => world.committed,
      watchSteps(deps) {
        tell = deps;
        return {
          start: () => {
            world.isWatching = true;
          },
          stop: async () => {
            world.isWatching = false;
          },
        };
      },
    },
    answerOf: async ({ _id }) => ({ intentHash: _id }) as IntentAnswer,
    asksLedger: true,
    random: () => 0.999,
    logger: { error: () => undefined } as never,
  });
  const open = async (lastEventId?: string) => {
    const source = await streams.prepare(registered._id, lastEventId);
    return source?.({
      isFree: () => true,
      write: (bytes) => {
        world.text += bytes.toString();
      },
      end: () => undefined,
    });
  };
  const ids = () => [...world.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  return { world, open, ids, tell: () => tell };
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

describe('the readers of an intent', () => {
  it('are sent a step that a majority confirms shortly after the change stream opened', async () => {
    const { world, open, ids, tell } = following(registered);
    await open('1');
    await pass(10_000);
    tell()?.onOpen();
    await pass(0);
    world.committed = expired;
    await pass(2_000);
    expect(ids()).toEqual([2]);
  });

  it('are sent a step that a majority confirms shortly after the change stream reported it', async () => {
    const { world, open, ids, tell } = following(registered);
    await open('1');
    await pass(10_000);
    tell()?.onStep(registered._id);
    await pass(0);
    world.committed = expired;
    await pass(2_000);
    expect(ids()).toEqual([2]);
  });

  it('are read to without any wake-up, and no more once they are gone', async () => {
    const { world, open, ids } = following(registered);
    const reader = await open('1');
    await pass(10_000);
    world.committed = expired;
    await pass(30_000);
    expect(ids()).toEqual([2]);
    reader?.onClose();
    await pass(30_000);
    expect([world.isWatching, jest.getTimerCount()]).toEqual([false, 0]);
  });
});

describe('a stream of an intent', () => {
  it('is over only where a majority of the database has the end', async () => {
    const { world, open } = following(registered, expired);
    await expect(open('2')).rejects.toMatchObject({ code: 'NOT_READY', extras: { retryAfter: 2 } });
    expect(await open('1')).toBeDefined();
    world.committed = expired;
    expect(await open('2')).toBeUndefined();
  });

  it('is not refused for good where the primary lacks what was told, and has not lost it', async () => {
    const { open } = following(registered);
    await expect(open('2')).rejects.toMatchObject({ code: 'NOT_READY' });
  });

  it('is of an unknown intent only where not even the primary has it', async () => {
    await expect(following(null, registered).open()).rejects.toMatchObject({ code: 'NOT_READY' });
    await expect(following(null).open()).rejects.toMatchObject({ code: 'UNKNOWN_INTENT' });
  });
});
