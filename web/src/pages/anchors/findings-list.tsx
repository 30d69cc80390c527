import type { Finding } from '@fairlead/contract/client';
import { TimeAgo } from '../../components/time-ago.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import figures from './figures.module.css';
import styles from './observations-card.module.css';
import { serviceTexts } from './observed-services.js';

const texts: Record<Finding['code'], TextKey> = {
  toml_unavailable: 'anchors.findingToml',
  info_unavailable: 'anchors.findingInfo',
  quotes_unavailable: 'anchors.findingQuotes',
  not_json: 'anchors.findingNotJson',
  slow: 'anchors.findingSlow',
  price_off: 'anchors.findingPriceOff',
  fee_changed: 'anchors.findingFee',
  key_changed: 'anchors.findingKey',
  method_dropped: 'anchors.findingMethod',
  withdrawal_dropped: 'anchors.findingWithdrawal',
  service_dropped: 'anchors.findingService',
};

/** The present findings, the newest first. */
export function FindingsList({ findings }: { findings: readonly Finding[] }) {
  const { t, locale } = useLanguage();
  if (findings.length === 0) return <p class={figures.soft}>{t('anchors.noFindings')}</p>;
  return (
    <ul class={styles.findings}>
      {findings.map((finding) => {
        const { code, service, corridor, detail, firstSeenAt, rounds } = finding;
        // A later version of the service may know other findings: the detail says what was seen.
        const text = texts[code];
        return (
          <li key={`${code} ${service} ${corridor}`} class={styles.finding}>
            <p>
              <strong>{text === undefined ? code : t(text)}</strong>
            </p>
            <p class={figures.soft}>
              {t(serviceTexts[service])}
              {corridor !== null && ` · ${corridorName(corridor, locale)}`}
              {' · '}
              <span lang="en">{detail}</span>
            </p>
            <p class={figures.soft}>
              {t('anchors.findingFirst')} <TimeAgo instant={firstSeenAt} /> ·{' '}
              {t('anchors.findingRounds', { rounds })}
            </p>
          </li>
        );
      })}
    </ul>
  );
}
