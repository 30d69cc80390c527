import type { IntentStep } from '@fairlead/contract/client';
import { Card } from '../../components/card.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './log-card.module.css';

/** Every step as it was recorded, the anchor's own words included. */
export function LogCard({ steps }: { steps: IntentStep[] }) {
  const { t, formats } = useLanguage();
  return (
    <Card title={t('offramp.log')}>
      <table class={styles.log}>
        <thead>
          <tr>
            <th scope="col">{t('offramp.logWhen')}</th>
            <th scope="col">{t('offramp.logWhat')}</th>
            <th scope="col">{t('offramp.anchorSays')}</th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ kind, at, transactionStatus }, place) => (
            <tr key={place}>
              <td>
                <time dateTime={at}>{formats.dateTime(at)}</time>
              </td>
              <td>{t(`offramp.kind_${kind}`)}</td>
              <td>{transactionStatus === null ? '–' : <code>{transactionStatus}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
