import type { AnchorAnswer } from '@fairlead/contract/client';
import { Copyable } from '../../components/copyable.js';
import { TimeAgo } from '../../components/inline.js';
import { Card, Facts } from '../../components/page-parts.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { methodName } from '../../i18n/translate.js';
import styles from './anchors.module.css';

/** Who the anchor is: its key, its addresses and where they come from, what it serves. */
export function IdentityCard({ anchor }: { anchor: AnchorAnswer }) {
  const { t, locale, formats } = useLanguage();
  const { endpoints, discovery, signingKey } = anchor;
  const soft = (text: string) => <span class={styles.soft}>{text}</span>;
  const address = (url: string | null) =>
    url === null ? soft(t('anchors.nonePublished')) : <code>{url}</code>;
  return (
    <Card title={t('anchors.identity')}>
      <Facts
        of={{
          [t('anchors.homeDomain')]: anchor.homeDomain ?? t('anchors.noneKnown'),
          [t('anchors.signingKey')]:
            signingKey === null ? (
              t('anchors.noneKnown')
            ) : (
              <Copyable text={signingKey} name={t('anchors.signingKey')} />
            ),
          [t('anchors.webAuth')]: address(endpoints.webAuthEndpoint),
          [t('anchors.sep24')]: address(endpoints.transferServerSep24),
          [t('anchors.sep6')]: address(endpoints.transferServerSep6),
          [t('anchors.sep38')]: address(endpoints.quoteServer),
          [t('anchors.discovery')]: (
            <>
              {t(`anchors.discovery_${discovery.state}`)}
              {discovery.fetchedAt !== null && (
                <>
                  {' · '}
                  <TimeAgo instant={discovery.fetchedAt} />
                </>
              )}
              <span class={styles.below} lang="en">
                {discovery.reason}
              </span>
            </>
          ),
          [t('anchors.serves')]:
            anchor.corridors.length === 0 ? (
              soft(t('anchors.servesNone'))
            ) : (
              <ul>
                {anchor.corridors.map(({ corridor, deliveryMethods }) => (
                  <li key={corridor}>
                    <a href={`/rates/${corridor}`}>{corridorName(corridor, locale)}</a>{' '}
                    {soft(deliveryMethods.map((method) => methodName(method, t)).join(', '))}
                  </li>
                ))}
              </ul>
            ),
          [t('anchors.contradicted')]: (
            <>
              {anchor.contradictedPayments === null
                ? t('anchors.noLedger')
                : formats.number(anchor.contradictedPayments)}
              <span class={styles.below}>{t('anchors.contradictedAbout')}</span>
            </>
          ),
          [t('anchors.onboarded')]: formats.date(anchor.onboardedAt),
          [t('anchors.delisted')]: anchor.delistedAt && formats.date(anchor.delistedAt),
        }}
      />
    </Card>
  );
}
