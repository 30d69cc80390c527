import { describe, expect, it } from '@jest/globals';
import type { AnswerForm } from '../../../server/front/answer-form.js';
import { createKeptAnswers } from '../../../server/front/kept-answers.js';

const url = '/api/corridors';

function formOf(body: string): AnswerForm {
  return { body, etag: undefined, head: '', headUnmodified: '' };
}

/** One answer that was cached a second ago, so that the first request renews it. */
function afterASecond({ sameForMs = 60_000 } = {}) {
  let now = 0;
  let isVoid = false;
  const clock = () => now;
  const kept = createKeptAnswers<{ path: string }>({
    changes: { since: () => isVoid },
    maxBytes: 1_000_000,
    clock,
    stopwatch: clock,
  });
  const keep = (body: string) =>
    kept.keep(url, { path: url }, 'identity', { form: formOf(body), sameForMs, voidedBy: [], asOf: 0 });
  const ask = () => {
    const target = kept.find(url);
    if (target === undefined) throw new Error('nothing is kept');
    return kept.current(target, 'identity', now) ?? kept.renewal(target, 'identity');
  };
  keep('old');
  now = 1_000;
  const first = ask();
  if (!('over' in first)) throw new Error('the first request was given the old answer');
  return {
    kept,
    keep,
    ask,
    over: first.over,
    pass: (ms: number) => {
      now += ms;
    },
    change: () => {
      isVoid = true;
    },
  };
}

describe('an answer that one request has made again', () => {
  it('is given to the others as it was for a quarter of a second, while it is the same', () => {
    const { ask, pass } = afterASecond();
    expect(ask()).toMatchObject({ body: 'old' });
    pass(249);
    expect(ask()).toMatchObject({ body: 'old' });
    pass(1);
    expect(ask()).toHaveProperty('wait');
  });

  it.each([
    ['that may be another one by now', (of: ReturnType<typeof afterASecond>) => of.change()],
    ['whose time is over', (of: ReturnType<typeof afterASecond>) => of.pass(100)],
  ])('lets others wait for the new one, where it is one %s', (_which, makeOld) => {
    const renewal = afterASecond({ sameForMs: 1_100 });
    makeOld(renewal);
    const asked = renewal.ask();
    if (!('wait' in asked)) throw new Error('it does not wait');
    let calls = 0;
    asked.wait(() => {
      calls += 1;
    });
    expect(calls).toBe(0);
    renewal.over();
    renewal.over();
    expect(calls).toBe(1);
  });

  it('is made again by the next request where the first came to nothing', () => {
    const { ask, over, kept, pass } = afterASecond();
    pass(300);
    over();
    expect(kept.renewed(url, 'identity')).toBeUndefined();
    const next = ask();
    expect(next).toHaveProperty('over');
    // Calling the end of the first renewal again does not end the second.
    over();
    expect(ask()).toHaveProperty('wait');
  });

  it('is given to those who waited, unless a change came meanwhile', () => {
    const { keep, over, kept, change, pass } = afterASecond();
    pass(300);
    keep('new');
    over();
    expect(kept.renewed(url, 'identity')).toMatchObject({ body: 'new' });
    change();
    expect(kept.renewed(url, 'identity')).toBeUndefined();
  });
});
