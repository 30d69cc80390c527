import type { ComponentChildren } from 'preact';
import type { Answered } from '../data/use-answer.js';
import { useNow } from '../data/use-now.js';
import { useLanguage } from '../i18n/language.js';
import styles from './answer-view.module.css';
import { Button } from './controls.js';
import { Notice } from './notice.js';

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

/** Why there is no newer answer, how old the one below is, and when it is asked again. */
export function ProblemNotice({ answer }: { answer: Answered<unknown> }) {
  const { t, formats } = useLanguage();
  const now = useNow();
  const { problem, at, retryAt } = answer;
  if (problem === undefined) return null;
  const seconds = retryAt === undefined ? undefined : Math.max(0, Math.ceil((retryAt - now) / 1_000));
  return (
    <Notice tone={problem.kind === 'refused' ? 'bad' : 'warn'} title={t(`common.problem_${problem.kind}`)}>
      {/* The service speaks English alone: its words are shown only where they say what is wrong with the request. */}
      {problem.kind === 'refused' && <p lang="en">{problem.body.message}</p>}
      {at !== undefined && (
        <p>{t('common.shownFrom', { ago: formats.ago(Math.max(0, now - at) / 1_000) })}</p>
      )}
      {seconds !== undefined && (
        <div class={styles.again}>
          <p>{t('common.askedAgainIn', { seconds })}</p>
          <Button disabled={answer.isAsking || problem.kind === 'limited'} onClick={answer.ask}>
            {t('common.askNow')}
          </Button>
        </div>
      )}
    </Notice>
  );
}

/** The outline of what is being loaded. */
export function Skeleton({ lines }: { lines: number }) {
  const { t } = useLanguage();
  return (
    <div class={styles.skeleton} role="status" aria-busy="true">
      <span class="visually-hidden">{t('common.loading')}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class={styles.line} />
      ))}
    </div>
  );
}
