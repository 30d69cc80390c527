import { TimeAgo } from '../../components/time-ago.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './state-track.module.css';
import type { Stage } from './track.js';

/**
 * The stages of an off-ramp: the finished ones with their times, the one in progress, and the later ones. `isOverturned`: an
 * accepted dispute has taken the colour of success or failure from its end.
 */
export function StateTrack({ stages, isOverturned }: { stages: Stage[]; isOverturned: boolean }) {
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
