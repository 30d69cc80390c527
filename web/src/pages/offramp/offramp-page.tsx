import type { IntentAnswer } from '@fairlead/contract/client';
import { useLocation, useRoute } from 'preact-iso';
import { Text, TimeAgo } from '../../components/inline.js';
import { Card, PageHeading } from '../../components/page-parts.js';
import { useAnchorName } from '../../data/corridors.js';
import { codesOf } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { DisputeCard } from './dispute-card.js';
import { LedgerCard, MoneyCard, RecordCard, TermsCard } from './evidence.js';
import { FollowForm, IntentView } from './follow-form.js';
import { readIntentHash } from './intent-hash.js';
import styles from './offramp.module.css';
import { StateCard } from './state-card.js';
import { useIntent, useIntentStream } from './use-intent.js';

export function OfframpPage() {
  const { t } = useLanguage();
  const { params } = useRoute();
  const { route } = useLocation();
  const asked = params.intentHash ?? '';
  const intentHash = readIntentHash(asked);
  if (intentHash !== undefined) return <FollowedOfframp key={intentHash} intentHash={intentHash} />;
  return (
    <>
      <PageHeading title={t('offramp.title')}>
        <Text of="offramp.lead" />
      </PageHeading>
      <FollowForm
        key={asked}
        first={asked}
        label={t('offramp.follow')}
        onFollow={(hash) => route(`/offramp/${hash}`)}
      />
      <Card title={t('offramp.about')}>
        <p>{t('offramp.aboutHash')}</p>
        <p>{t('offramp.aboutPrivacy')}</p>
      </Card>
    </>
  );
}

/** One off-ramp in its present state, and the evidence for its outcome. */
function FollowedOfframp({ intentHash }: { intentHash: string }) {
  const { t, formats } = useLanguage();
  const isLive = useIntentStream(intentHash);
  const answer = useIntent(intentHash, isLive);
  const { value, at } = answer;
  const anchor = useAnchorName(value?.anchorId ?? '');
  const title =
    value === undefined
      ? t('offramp.followed', { hash: intentHash.slice(0, 8) })
      : t('offramp.followedSale', {
          amount: formats.asset(value.sellAmount, codesOf(value.corridor).sold),
          anchor,
        });
  return (
    <>
      <PageHeading title={title}>
        <p class={styles.live}>
          {isLive && <strong>{t('offramp.live')} · </strong>}
          {at !== undefined && (
            <>
              {t('offramp.lookedAt')} <TimeAgo instant={new Date(at).toISOString()} />
              {' · '}
            </>
          )}
          <a href="/offramp">{t('offramp.another')}</a>
        </p>
      </PageHeading>
      <IntentView answer={answer}>{(intent) => <Parts intent={intent} />}</IntentView>
    </>
  );
}

function Parts({ intent }: { intent: IntentAnswer }) {
  return (
    <div class={styles.columns}>
      <div class={styles.column}>
        <StateCard intent={intent} />
        <DisputeCard intent={intent} />
      </div>
      <div class={styles.column}>
        <MoneyCard intent={intent} />
        <RecordCard intent={intent} />
        <LedgerCard intent={intent} />
        <TermsCard intent={intent} />
      </div>
    </div>
  );
}
