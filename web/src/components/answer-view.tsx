import type { ComponentChildren } from 'preact';
import type { Answered } from '../data/use-answer.js';
import { ProblemNotice } from './problem-notice.js';
import { Skeleton } from './skeleton.js';

/**
 * Shows an answer in whatever state it is: its outline while it loads, the problem where there is one, and the last
 * value under the problem while there is no newer one.
 */
export function AnswerView<T>(props: {
  answer: Answered<T>;
  /** Lines of the outline. */
  lines?: number;
  children: (value: T) => ComponentChildren;
}) {
  const { answer, lines = 4, children } = props;
  const { value, problem } = answer;
  return (
    <>
      {problem !== undefined && <ProblemNotice answer={answer} />}
      {value !== undefined ? children(value) : problem === undefined && <Skeleton lines={lines} />}
    </>
  );
}
