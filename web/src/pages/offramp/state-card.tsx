import type { IntentAnswer } from '@fairlead/contract/client';
import { TimeAgo } from '../../components/inline.js';
import { Notice } from '../../components/notice.js';
import { Card } from '../../components/page-parts.js';
import { corridorsQuestion } from '../../data/corridors.js';
import { useAnswer } from '../../data/use-answer.js';
import { useNow } from '../../data/use-now.js';
import { useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import styles from './offramp.module.css';
import { possibleEnds, type Stage, trackOf } from './track.js';
import { asksPerson, dueOf, problemToMend, type Turn, turnOf } from './turn.js';

const toneOf = { settled: 'good', failed: 'bad', expired: 'plain', pending: 'plain' } as const;

/** The state of the off-ramp in a sentence, what happens next and by when, how it got there and how it can end. */
export function StateCard({ intent }: { intent: IntentAnswer }) {
  const { t } = useLanguage();
  const turn = turnOf(intent, useNow());
  const { outcome, status, dispute } = intent;
  const isAccepted = dispute?.status === 'accepted';
  // That the anchor paid out is then its word against the account's.
  const isContested = status === 'settled' && dispute?.status === 'open';
  const ending = isContested ? 'contested' : outcome?.reason;
  const ends = possibleEnds(intent);
  return (
    <Card title={t('offramp.state')} aside={<StatusMark intent={intent} />}>
      {outcome === null || ending === undefined ? (
        <Notice tone={asksPerson(turn) ? 'warn' : 'plain'} title={t(`offramp.now_${turn}` as TextKey)}>
          <Problem intent={intent} turn={turn} />
          <Next intent={intent} turn={turn} />
        </Notice>
      ) : (
        <Notice
          tone={isContested ? 'plain' : toneOf[standsAs(intent)]}
          title={t(isAccepted ? 'offramp.ended_accepted' : `offramp.ended_${ending}`)}
        >
          <p>{t(isAccepted ? `offramp.counts_${outcome.counts}` : `offramp.explained_${ending}`)}</p>
          <Next intent={intent} turn={turn} />
        </Notice>
      )}
      <StateTrack stages={trackOf(intent)} isInDoubt={isAccepted || isContested} />
      {ends.length > 0 && (
        <details>
          <summary>{t('offramp.canEnd')}</summary>
          <ul class={styles.ends}>
            {ends.map((end) => (
              <li key={end}>
                <strong>{t(`offramp.stage_${end}`)}</strong> {t(`offramp.end_${end}`)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}

/** What happens next, and by when. */
function Next({ intent, turn }: { intent: IntentAnswer; turn: Turn }) {
  const { t, formats } = useLanguage();
  const now = useNow();
  const corridors = useAnswer(corridorsQuestion);
  const corridor = corridors.value?.find(({ id }) => id === intent.corridor);
  const due = dueOf(intent, turn, corridor?.overdueAfterSeconds);
  const text = t(`offramp.next_${turn}`);
  if (due === undefined) return <p>{text}</p>;
  const time = formats.dateTime(due);
  return (
    <p>
      {text} <strong>{t('offramp.by', { time, left: formats.ago((now - Date.parse(due)) / 1_000) })}</strong>
    </p>
  );
}

/** What is wrong with the transaction or the payment, where the wallet has to mend it. */
function Problem({ intent: { transaction, payment }, turn }: { intent: IntentAnswer; turn: Turn }) {
  const { t } = useLanguage();
  const problem = problemToMend(payment);
  if (turn === 'mendTransaction' && transaction?.problem != null)
    return <p>{t(`offramp.transaction_${transaction.problem}`)}</p>;
  return turn === 'mendPayment' && problem !== undefined ? <p>{t(`offramp.payment_${problem}`)}</p> : null;
}

/** What the outcome counts as now, where a verdict has changed it: its status otherwise. */
function standsAs({ status, dispute, outcome }: IntentAnswer): IntentAnswer['status'] {
  if (dispute?.status !== 'accepted' || outcome === null) return status;
  return ({ filled: 'settled', not_filled: 'failed', no: 'expired' } as const)[outcome.counts];
}

/** The status in a word, distinguished by its shape as well as its colour. */
export function StatusMark({ intent }: { intent: IntentAnswer }) {
  const { t } = useLanguage();
  const stands = standsAs(intent);
  const text =
    stands === intent.status || intent.outcome === null
      ? (`offramp.status_${intent.status}` as const)
      : (`offramp.status_${intent.outcome.counts}` as const);
  return <span class={`${styles.mark} ${styles[stands]}`}>{t(text)}</span>;
}

/**
 * The stages of an off-ramp: the finished ones with their times, the one in progress, and the later ones. `isInDoubt`: a
 * dispute that is accepted or not yet decided takes the colour of success or failure from its end.
 */
function StateTrack({ stages, isInDoubt }: { stages: Stage[]; isInDoubt: boolean }) {
  const { t } = useLanguage();
  return (
    <ol class={styles.track} aria-label={t('offramp.track')}>
      {stages.map((stage) => (
        <Step key={stage.name} stage={stage} isInDoubt={isInDoubt} />
      ))}
    </ol>
  );
}

function Step({ stage, isInDoubt }: { stage: Stage; isInDoubt: boolean }) {
  const { t, formats } = useLanguage();
  const { name, state, at } = stage;
  const text = isInDoubt && name === 'settled' ? 'ended_contested' : (`stage_${name}` as const);
  return (
    <li
      class={`${styles.step} ${styles[state]} ${isInDoubt ? '' : (styles[name] ?? '')}`}
      aria-current={state === 'waiting' ? 'step' : undefined}
    >
      <span class={styles.name}>{t(`offramp.${text}`)}</span>
      <span class={styles.when}>
        {at !== undefined ? (
          <>
            {formats.dateTime(at)} · <TimeAgo instant={at} />
          </>
        ) : (
          t(`offramp.state_${state}`)
        )}
      </span>
    </li>
  );
}
