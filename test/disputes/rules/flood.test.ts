import { afterEach, describe, expect, it } from '@jest/globals';
import { createFileDispute } from '../../../server/features/disputes/filing.js';
import { disputeOf, signer, storedIntent } from '../../fixtures/disputes/dispute-values.js';

const owner = signer('flood');
const intent = storedIntent(owner.account, 'settled');
const body = disputeOf(intent, owner);
const maxWaiting = 256;

let nowMs = 0;
/** Lets the work that began end: with UNKNOWN_INTENT, or with the error given. */
let begun: ((error?: Error) => void)[] = [];
afterEach(() => {
  nowMs = 0;
  begun = [];
});

const unused = () => {
  throw new Error('not reached in these tests');
};

/** Filing whose first step, taking an attempt, lasts until it is ended. */
function heldFiling() {
  const file = createFileDispute({
    store: { findByParty: unused, listOfIntent: unused, insert: unused },
    findIntent: async () => null,
    signingKeyOf: unused,
    verifyDispute: unused,
    limits: {
      takeAttempt: () =>
        new Promise((resolve, reject) => {
          begun.push((error) => (error === undefined ? resolve() : reject(error)));
        }),
      pointsLeft: unused,
      takePoint: unused,
    },
    inTransaction: unused,
    writeEvent: unused,
    clock: () => nowMs,
    newId: unused,
  });
  /** The code of the refusal, or the message of what was thrown. */
  return () =>
    file(body, 'client', unused).then(
      () => 'filed',
      (error: Error & { code?: string }) => error.code ?? error.message,
    );
}

async function end(index: number, error?: Error): Promise<void> {
  begun[index]?.(error);
  await new Promise((resolve) => setImmediate(resolve));
}

describe('a flood of disputes', () => {
  it('is worked on two at a time; the third starts when one of them ends', async () => {
    const file = heldFiling();
    const results = [file(), file(), file()];
    expect(begun).toHaveLength(2);
    await end(0);
    expect(begun).toHaveLength(3);
    await end(1);
    await end(2);
    expect(await Promise.all(results)).toEqual(Array(3).fill('UNKNOWN_INTENT'));
  });

  it('is refused with NOT_READY beyond 256 that wait, and accepted again once there is room', async () => {
    const file = heldFiling();
    const results = Array.from({ length: 2 + maxWaiting }, file);
    expect(await file()).toBe('NOT_READY');
    await end(0);
    results.push(file());
    for (let index = 1; index < results.length; index += 1) await end(index);
    expect(await Promise.all(results)).toEqual(Array(results.length).fill('UNKNOWN_INTENT'));
  });

  it('is refused with NOT_READY, without being started, after waiting for more than 5 s', async () => {
    const file = heldFiling();
    const [first, second, waiting] = [file(), file(), file()];
    nowMs += 5_001;
    await end(0);
    expect(await waiting).toBe('NOT_READY');
    expect(begun).toHaveLength(2);
    await end(1);
    expect(await Promise.all([first, second])).toEqual(['UNKNOWN_INTENT', 'UNKNOWN_INTENT']);
  });

  it('continues with the next dispute after one that failed', async () => {
    const file = heldFiling();
    const [failing, , next] = [file(), file(), file()];
    await end(0, new Error('gone'));
    expect(await failing).toBe('gone');
    await end(2);
    expect(await next).toBe('UNKNOWN_INTENT');
  });
});
