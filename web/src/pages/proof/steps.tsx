import { type Language, useLanguage } from '../../i18n/language.js';
import type { Step, StepStatus } from './check/step.js';
import { Mark, type MarkTone } from './mark.js';
import styles from './steps.module.css';

const tones: Record<StepStatus, MarkTone> = { held: 'good', failed: 'bad', open: 'plain' };

/** The steps of a check in their order: what was compared, in words, with what it read and computed. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  const language = useLanguage();
  const { t } = language;
  return (
    <ol class={styles.steps}>
      {steps.map((step) => (
        <li key={step.id} class={`${styles.step} ${styles[step.status]}`}>
          <div class={styles.head}>
            <h3>{t(`proof.step_${step.id}`)}</h3>
            <Mark tone={tones[step.status]}>{t(`proof.${step.status}`)}</Mark>
          </div>
          <p>{sentenceOf(step, language)}</p>
          {step.facts.length > 0 && (
            <details open={step.status === 'failed'}>
              <summary>{t('proof.facts')}</summary>
              <dl class={styles.facts}>
                {step.facts.map(({ label, value }) => (
                  <div key={label}>
                    <dt>{t(`proof.fact_${label}`)}</dt>
                    <dd>
                      <code>{value}</code>
                    </dd>
                  </div>
                ))}
              </dl>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}

function sentenceOf({ id, fault, opening, facts }: Step, { t }: Language): string {
  if (fault !== undefined) return t(`proof.fault_${fault}`);
  if (opening !== undefined) return t(`proof.opening_${opening}`);
  // The first batch names none before it.
  if (id === 'chain' && facts.length === 0) return t('proof.held_first');
  return t(
    `proof.held_${id}`,
    Object.fromEntries(facts.map(({ label, value }) => [label, shortened(value)])),
  );
}

function shortened(value: string): string {
  return value.length > 24 ? `${value.slice(0, 8)}…${value.slice(-8)}` : value;
}
