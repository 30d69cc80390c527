import type { IntentAnswer } from '@fairlead/contract/client';
import { useLocation, useRoute } from 'preact-iso';
import { AnswerView } from '../../components/answer-view.js';
import { Copyable } from '../../components/copyable.js';
import { Text, TimeAgo } from '../../components/inline.js';
import { Empty } from '../../components/notice.js';
import { Card, PageHeading } from '../../components/page-parts.js';
import { useLanguage } from '../../i18n/language.js';
import { DisputeCard } from './dispute-card.js';
import { LedgerCard, MoneyCard, RecordCard, TermsCard } from './evidence.js';
import { FollowForm } from './follow-form.js';
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
  const { t } = useLanguage();
  const isLive = useIntentStream(intentHash);
  const answer = useIntent(intentHash, isLive);
  const { problem, value, at } = answer;
  const isUnknown = problem?.kind === 'refused' && problem.body.code === 'UNKNOWN_INTENT';
  return (
    <>
      <PageHeading title={t('offramp.followed', { hash: intentHash.slice(0, 8) })}>
        <Copyable text={intentHash} name={t('offramp.hash')} />
      </PageHeading>
      <div class={styles.actions}>
        <p class={styles.live}>
          {isLive && <strong>{t('offramp.live')} · </strong>}
          {at !== undefined && (
            <>
              {t('offramp.lookedAt')} <TimeAgo instant={new Date(at).toISOString()} />
            </>
          )}
        </p>
        <a href="/offramp">{t('offramp.another')}</a>
      </div>
      {isUnknown && value === undefined ? (
        <Empty title={t('offramp.unknown')}>
          <p>{t('offramp.unknownWhy')}</p>
        </Empty>
      ) : (
        <AnswerView answer={answer} lines={8}>
          {(intent) => <Parts intent={intent} />}
        </AnswerView>
      )}
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
