import { type Language, useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import styles from './proof.module.css';
import type { Step } from './step.js';

/** The steps of a check in their order: what was compared, in words, with what it read and computed. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  const language = useLanguage();
  const { t } = language;
  return (
    <ol class={styles.steps}>
      {steps.map((step) => (
        <li key={step.id}>
          <h3>
            {t(`proof.step_${step.id}`)} <span class={styles[step.status]}>{t(`proof.${step.status}`)}</span>
          </h3>
          <p>{sentenceOf(step, language)}</p>
          {step.facts.length > 0 && (
            <details open={step.status === 'failed'}>
              <summary>{t('proof.facts')}</summary>
              <dl class={styles.facts}>
                {step.facts.map(({ label, value }) => (
                  <div key={label}>
                    <dt>{t(`proof.fact_${label}` as TextKey)}</dt>
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

function sentenceOf({ id, status, why, facts }: Step, { t }: Language): string {
  if (why !== undefined) return t(`proof.${status === 'failed' ? 'fault' : 'opening'}_${why}` as TextKey);
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
