import type { IntentAnswer } from '@fairlead/contract/client';
import { TimeAgo } from '../../components/inline.js';
import { Notice, type Tone } from '../../components/notice.js';
import { Card } from '../../components/page-parts.js';
import { useNow } from '../../data/use-now.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './offramp.module.css';
import { possibleEnds, type Stage, trackOf } from './track.js';
import { partyOf, problemToMend, turnOf } from './turn.js';

const toneOf = { settled: 'good', failed: 'bad', expired: 'plain', pending: 'plain' } as const;

/** The state of the off-ramp, who has to act next, how it got there and how it can end. */
export function StateCard({ intent }: { intent: IntentAnswer }) {
  const { t, formats } = useLanguage();
  const now = useNow();
  const { outcome, status, transaction, payment } = intent;
  const turn = turnOf(intent, now);
  const party = partyOf[turn];
  const ends = possibleEnds(intent, turn);
  const tone: Tone = party === 'wallet' ? 'warn' : toneOf[status];
  const problem = problemToMend(payment);
  const isAccepted = intent.dispute?.status === 'accepted';
  // That the anchor paid out is then its word against the account's.
  const isContested = status === 'settled' && intent.dispute?.status === 'open';
  const ending = isContested ? 'contested' : outcome?.reason;
  return (
    <Card title={t('offramp.state')} aside={<StatusMark intent={intent} />}>
      {isAccepted && outcome !== null ? (
        <Notice tone={toneOf[standsAs(intent)]} title={t('offramp.ended_accepted')}>
          <p>{t(`offramp.counts_${outcome.counts}`)}</p>
        </Notice>
      ) : ending !== undefined ? (
        <Notice tone={isContested ? 'plain' : toneOf[status]} title={t(`offramp.ended_${ending}`)}>
          <p>{t(`offramp.explained_${ending}`)}</p>
          {turn === 'mayRecover' && <p>{t('offramp.turn_mayRecover')}</p>}
        </Notice>
      ) : (
        <Notice tone={tone} title={t(`offramp.party_${party}`)}>
          <p>{t(`offramp.turn_${turn}`, { until: formats.dateTime(intent.expiresAt) })}</p>
          {turn === 'mendTransaction' && transaction?.problem != null && (
            <p>{t(`offramp.transaction_${transaction.problem}`)}</p>
          )}
          {turn === 'mendPayment' && problem !== undefined && <p>{t(`offramp.payment_${problem}`)}</p>}
        </Notice>
      )}
      <StateTrack stages={trackOf(intent)} isOverturned={isAccepted} />
      {ends.length > 0 && (
        <div>
          <h3>{t('offramp.canEnd')}</h3>
          <ul class={styles.ends}>
            {ends.map((end) => (
              <li key={end}>
                <strong>{t(`offramp.stage_${end}`)}</strong> {t(`offramp.end_${end}`)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Card>
  );
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
 * The stages of an off-ramp: the finished ones with their times, the one in progress, and the later ones. `isOverturned`: an
 * accepted dispute has taken the colour of success or failure from its end.
 */
function StateTrack({ stages, isOverturned }: { stages: Stage[]; isOverturned: boolean }) {
  const { t } = useLanguage();
  return (
    <ol class={styles.track} aria-label={t('offramp.track')}>
      {stages.map((stage) => (
        <Step key={stage.name} stage={stage} isOverturned={isOverturned} />
      ))}
    </ol>
  );
}

function Step({ stage, isOverturned }: { stage: Stage; isOverturned: boolean }) {
  const { t, formats } = useLanguage();
  const { name, state, at } = stage;
  return (
    <li
      class={`${styles.step} ${styles[state]} ${isOverturned ? '' : (styles[name] ?? '')}`}
      aria-current={state === 'waiting' ? 'step' : undefined}
    >
      <span class={styles.name}>{t(`offramp.stage_${name}`)}</span>
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
