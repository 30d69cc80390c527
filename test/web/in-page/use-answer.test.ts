import { afterEach, describe, expect, it } from '@jest/globals';
import { forgetAnswers, keepAnswer, observerOf } from '../../../web/src/data/use-answer.js';

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
