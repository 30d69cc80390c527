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

describe('the record that an address names', () => {
  it('is that of one corridor, in upper or lower case as the service takes it', () => {
    const inLower = recordNamed({ window: '7', corridor: 'usdc-ngn' });
    expect(inLower).toEqual({
      window: '7',
      corridor: 'usdc-ngn',
      search: '?corridor=usdc-ngn&window=7',
      proofSearch: '?corridor=usdc-ngn',
    });
    expect(recordNamed({ window: '7', corridor: 'USDC-NGN' })).toEqual(inLower);
  });

  it('is that of all corridors over 30 days, where it names nothing that is known', () => {
    for (const window of ['30', '8'])
      expect(recordNamed({ window, corridor: '' })).toEqual({
        window: '30',
        corridor: undefined,
        search: '',
        proofSearch: '',
      });
  });
});

const { t } = createTexts('en', english);

describe('a reason that a newer service gives', () => {
  it('is shown as it is where it is a part of the name of its text', () => {
    expect(t('offramp.ended_something_new' as TextKey)).toBe('something_new');
  });
});
