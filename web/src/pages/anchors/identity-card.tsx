import type { AnchorAnswer, DiscoveryState } from '@fairlead/contract/client';
import { Copyable } from '../../components/copyable.js';
import { TimeAgo } from '../../components/inline.js';
import { Card, Fact, Facts } from '../../components/page-parts.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import { methodName } from '../../i18n/translate.js';
import figures from './anchors.module.css';

const discoveryTexts: Record<DiscoveryState, TextKey> = {
  fresh: 'anchors.discoveryFresh',
  stale: 'anchors.discoveryStale',
  failed: 'anchors.discoveryFailed',
  pending: 'anchors.discoveryPending',
  configured: 'anchors.discoveryConfigured',
};

/** Who the anchor is: its key, its addresses and where they come from, what it serves. */
export function IdentityCard({ anchor }: { anchor: AnchorAnswer }) {
  const { t, locale, formats } = useLanguage();
  const { endpoints, discovery } = anchor;
  const addresses: [TextKey, string | null][] = [
    ['anchors.webAuth', endpoints.webAuthEndpoint],
    ['anchors.sep24', endpoints.transferServerSep24],
    ['anchors.sep6', endpoints.transferServerSep6],
    ['anchors.sep38', endpoints.quoteServer],
  ];
  return (
    <Card title={t('anchors.identity')}>
      <Facts>
        <Fact name={t('anchors.homeDomain')}>{anchor.homeDomain ?? t('anchors.noneKnown')}</Fact>
        <Fact name={t('anchors.signingKey')}>
          {anchor.signingKey === null ? (
            t('anchors.noneKnown')
          ) : (
            <Copyable text={anchor.signingKey} name={t('anchors.signingKey')} />
          )}
        </Fact>
        {addresses.map(([text, url]) => (
          <Fact key={text} name={t(text)}>
            {url === null ? (
              <span class={figures.soft}>{t('anchors.nonePublished')}</span>
            ) : (
              <code>{url}</code>
            )}
          </Fact>
        ))}
        <Fact name={t('anchors.discovery')}>
          {t(discoveryTexts[discovery.state])}
          {discovery.fetchedAt !== null && (
            <>
              {' · '}
              <TimeAgo instant={discovery.fetchedAt} />
            </>
          )}
          {discovery.reason !== null && (
            <span class={figures.below} lang="en">
              {discovery.reason}
            </span>
          )}
        </Fact>
        <Fact name={t('anchors.serves')}>
          {anchor.corridors.length === 0 ? (
            <span class={figures.soft}>{t('anchors.servesNone')}</span>
          ) : (
            <ul>
              {anchor.corridors.map(({ corridor, deliveryMethods }) => (
                <li key={corridor}>
                  <a href={`/rates/${corridor}`}>{corridorName(corridor, locale)}</a>{' '}
                  <span class={figures.soft}>
                    {deliveryMethods.map((method) => methodName(method, t)).join(', ')}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Fact>
        <Fact name={t('anchors.contradicted')}>
          {anchor.contradictedPayments === null
            ? t('anchors.noLedger')
            : formats.number(anchor.contradictedPayments)}
          <span class={figures.below}>{t('anchors.contradictedAbout')}</span>
        </Fact>
        <Fact name={t('anchors.onboarded')}>
          <time dateTime={anchor.onboardedAt}>{formats.date(anchor.onboardedAt)}</time>
        </Fact>
        {anchor.delistedAt !== null && (
          <Fact name={t('anchors.delisted')}>
            <time dateTime={anchor.delistedAt}>{formats.date(anchor.delistedAt)}</time>
          </Fact>
        )}
      </Facts>
    </Card>
  );
}
