import { useEffect, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { AnswerView } from '../../components/answer-view.js';
import { Button } from '../../components/controls.js';
import { Text, TimeAgo } from '../../components/inline.js';
import { Empty, Notice } from '../../components/notice.js';
import { Card, PageHeading } from '../../components/page-parts.js';
import { useAnswer } from '../../data/use-answer.js';
import { useLanguage } from '../../i18n/language.js';
import { KeysCard } from './keys-card.js';
import { trustOf, useMemory } from './memory.js';
import styles from './proof.module.css';
import { type Checks, health } from './questions.js';
import type { ListedKey } from './step.js';
import { VerifyCard } from './verify-card.js';

/** A check of a published score in the reader's own browser, by keys that the reader may bring. */
export function ProofPage() {
  const { t } = useLanguage();
  const anchorId = useRoute().params.anchorId ?? '';
  const answer = useAnswer(health);
  const memory = useMemory();
  const checks = useChecks();
  const [publisher, setPublisher] = useState<ListedKey | null>();
  const [oracle, setOracle] = useState<ListedKey | null>();
  if (checks === 'missing')
    return (
      <>
        <PageHeading title={t('proof.title')} />
        <Notice tone="bad" title={t('proof.notLoaded')}>
          <p>
            <Button onClick={() => location.reload()}>{t('common.reload')}</Button>
          </p>
        </Notice>
      </>
    );
  return (
    <>
      <PageHeading title={t('proof.title')}>
        <Text of="proof.lead" />
      </PageHeading>
      <AnswerView answer={answer} lines={3}>
        {({ latest, status, reason, keys }) => {
          const trust = trustOf({ publisher, oracle }, memory.before, keys);
          return (
            <>
              {status !== 'ok' && reason !== null && (
                <Notice tone="warn" title={t(`proof.status_${status}`)}>
                  <p>{t(`proof.reason_${reason}`)}</p>
                </Notice>
              )}
              {latest === null ? (
                <Empty title={t('proof.nothing')} />
              ) : (
                <>
                  <KeysCard
                    trust={trust}
                    checks={checks}
                    onPublisher={setPublisher}
                    onOracle={setOracle}
                    onForget={memory.before && memory.forget}
                  />
                  <Card
                    title={t('proof.verify')}
                    aside={
                      <span class={styles.soft}>
                        {t('proof.latest', { sequence: latest.sequence })}{' '}
                        <TimeAgo instant={latest.createdAt} />
                      </span>
                    }
                  >
                    <VerifyCard
                      latest={latest.sequence}
                      anchorId={anchorId}
                      trust={trust}
                      hasUnusable={publisher === null || oracle === null}
                      checks={checks}
                      keep={memory.keep}
                    />
                  </Card>
                </>
              )}
            </>
          );
        }}
      </AnswerView>
    </>
  );
}

/** The functions that verify; undefined until their file has arrived. */
function useChecks(): Checks | 'missing' | undefined {
  const [checks, setChecks] = useState<Checks | 'missing'>();
  useEffect(() => {
    void import('./check-score.js').then(setChecks, () => setChecks('missing'));
  }, []);
  return checks;
}
