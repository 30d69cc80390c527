import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { AnswerView } from '../../components/answer-view.js';
import { PageHeading } from '../../components/page-heading.js';
import { useAnswer } from '../../data/use-answer.js';
import { useLanguage } from '../../i18n/language.js';
import { ChainCard } from './chain-card.js';
import type { ListedKey } from './check/evidence.js';
import { ChecksMissing } from './checks-missing.js';
import { HealthCard } from './health-card.js';
import { useMemories } from './memory.js';
import { health } from './questions.js';
import { trustedKeys } from './trust.js';
import { TrustCard } from './trust-card.js';
import { VerifyCard } from './verify-card.js';

/** Whether scores are published, a check of one of them, whose key is believed, and the chain of batches. */
export function ProofPage() {
  const { t } = useLanguage();
  const { params } = useRoute();
  const answer = useAnswer(health());
  const memories = useMemories();
  const [publisher, setPublisher] = useState<ListedKey | null>();
  const [oracle, setOracle] = useState<ListedKey | null>();
  const trust = trustedKeys({ publisher, oracle }, memories.before, answer.value?.keys ?? []);
  return (
    <>
      <PageHeading title={t('proof.title')}>{t('proof.lead')}</PageHeading>
      <ChecksMissing />
      <AnswerView answer={answer} lines={3}>
        {(value) => (
          <>
            <HealthCard health={value} />
            <VerifyCard health={value} anchorId={params.anchorId ?? ''} trust={trust} memories={memories} />
            <TrustCard
              trust={trust}
              listed={value.keys}
              memories={memories}
              onPublisher={setPublisher}
              onOracle={setOracle}
            />
            <ChainCard health={value} trust={trust} head={memories.before?.head} />
          </>
        )}
      </AnswerView>
    </>
  );
}
