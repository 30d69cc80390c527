import type { Problem } from '../data/problem.js';
import type { Answered } from '../data/use-answer.js';
import { useNow } from '../data/use-now.js';
import { type Language, useLanguage } from '../i18n/language.js';
import { Button } from './button.js';
import { Notice } from './notice.js';
import styles from './problem-notice.module.css';

/** Why there is no newer answer, how old the one below is, and when it is asked again. */
export function ProblemNotice({ answer }: { answer: Answered<unknown> }) {
  const language = useLanguage();
  const { t, formats } = language;
  const now = useNow();
  const { problem, at, retryAt } = answer;
  if (problem === undefined) return null;
  const seconds = retryAt === undefined ? undefined : Math.max(0, Math.ceil((retryAt - now) / 1_000));
  return (
    <Notice tone={problem.kind === 'refused' ? 'bad' : 'warn'} title={titleOf(problem, language)}>
      {/* The text of a limit is for programs; the seconds are shown below. */}
      {'body' in problem && problem.kind !== 'limited' && <p>{problem.body.message}</p>}
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

function titleOf(problem: Problem, { t }: Language): string {
  switch (problem.kind) {
    case 'limited':
      return t('common.problemLimited');
    case 'unavailable':
      return t('common.problemUnavailable');
    case 'refused':
      return t('common.problemRefused');
    case 'offline':
      return t('common.problemOffline');
    case 'unreachable':
      return t('common.problemUnreachable');
  }
}
