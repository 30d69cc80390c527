import { afterEach, describe, expect, it } from '@jest/globals';
import english from '../../../web/locales/en.json' with { type: 'json' };
import { forgetAnswers, keepAnswer, observerOf } from '../../../web/src/data/use-answer.js';
import { createTexts, type TextKey } from '../../../web/src/i18n/translate.js';
import { recordNamed } from '../../../web/src/pages/anchors/use-record-view.js';

afterEach(() => forgetAnswers([]));

/** A question whose answers arrive on the test's command. */
function slowQuestion() {
  const answers: ((value: string) => void)[] = [];
  const signals: AbortSignal[] = [];
  const question = {
    key: ['slow'],
    ask(signal: AbortSignal) {
      signals.push(signal);
      return new Promise<string>((resolve) => answers.push(resolve));
    },
  };
  return { question, answers, signals };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('an answer that a stream brought', () => {
  it('stays where an older one arrives later, which is no longer waited for', async () => {
    const { question, answers, signals } = slowQuestion();
    const observer = observerOf(question);
    const stop = observer.subscribe(() => undefined);
    answers[0]?.('first');
    await settled();
    void observer.refetch();
    expect(observer.getCurrentResult().isFetching).toBe(true);
    keepAnswer(question.key, 'streamed');
    answers[1]?.('asked before');
    await settled();
    expect(observer.getCurrentResult()).toMatchObject({ data: { value: 'streamed' }, isFetching: false });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    stop();
  });

  it('is the first answer where none had arrived, and is asked for anew', async () => {
    const { question, answers } = slowQuestion();
    const observer = observerOf(question);
    const stop = observer.subscribe(() => undefined);
    keepAnswer(question.key, 'streamed');
    await settled();
    expect(observer.getCurrentResult()).toMatchObject({ data: { value: 'streamed' }, error: null });
    void observer.refetch();
    answers[1]?.('asked after');
    await settled();
    expect(observer.getCurrentResult()).toMatchObject({ data: { value: 'asked after' } });
    stop();
  });
});

it.each([
  ['one corridor', '7', 'usdc-ngn', '?corridor=usdc-ngn&window=7', '?corridor=usdc-ngn'],
  ['one corridor, in upper case', '7', 'USDC-NGN', '?corridor=usdc-ngn&window=7', '?corridor=usdc-ngn'],
  ['all corridors over 30 days', '30', '', '', ''],
  ['all corridors over 30 days, where it names no known ones', '8', '', '', ''],
])('the record that an address names is that of %s', (_, window, corridor, search, proofSearch) => {
  const named = { window: search === '' ? '30' : window, corridor: corridor.toLowerCase() || undefined };
  expect(recordNamed({ window, corridor })).toEqual({ ...named, search, proofSearch });
});

const { t } = createTexts('en', english);

it('a reason that a newer service gives is shown as it is where it is a part of the name of its text', () => {
  expect(t('offramp.ended_something_new' as TextKey)).toBe('something_new');
});
