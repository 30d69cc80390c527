import { useLanguage } from '../../i18n/language.js';
import { Text } from '../../i18n/text.js';
import styles from './three-steps.module.css';

const steps = ['One', 'Two', 'Three'] as const;

/** What this service is, for somebody who has never heard of it. */
export function ThreeSteps() {
  const { t } = useLanguage();
  return (
    <section class={styles.about} aria-labelledby="three-steps">
      <h2 id="three-steps">{t('rates.how')}</h2>
      <ol class={styles.steps}>
        {steps.map((step) => (
          <li key={step}>
            <h3>{t(`rates.step${step}`)}</h3>
            <p>
              <Text of={`rates.step${step}About`} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
