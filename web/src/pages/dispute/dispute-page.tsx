import { AnswerView } from '../../components/answer-view.js';
import { Empty } from '../../components/notice.js';
import { PageHeading } from '../../components/page-parts.js';
import { useViewPart } from '../../data/use-view-part.js';
import { useLanguage } from '../../i18n/language.js';
import { FollowForm } from '../offramp/follow-form.js';
import { readIntentHash } from '../offramp/intent-hash.js';
import { useIntent } from '../offramp/use-intent.js';
import styles from './dispute.module.css';
import { DisputeSteps } from './dispute-steps.js';

export function DisputePage() {
  const { t } = useLanguage();
  const [asked, setAsked] = useViewPart('intent', '');
  const intentHash = readIntentHash(asked);
  const answer = useIntent(intentHash);
  const { problem, value } = answer;
  const isUnknown = problem?.kind === 'refused' && problem.body.code === 'UNKNOWN_INTENT';
  return (
    <div class={styles.page}>
      <PageHeading title={t('dispute.title')}>{t('dispute.lead')}</PageHeading>
      <FollowForm key={asked} first={asked} label={t('dispute.open')} onFollow={setAsked} />
      {isUnknown && value === undefined ? (
        <Empty title={t('offramp.unknown')}>
          <p>{t('offramp.unknownWhy')}</p>
        </Empty>
      ) : (
        intentHash !== undefined && (
          <AnswerView answer={answer}>
            {(intent) => <DisputeSteps key={intentHash} intent={intent} onFiled={answer.ask} />}
          </AnswerView>
        )
      )}
    </div>
  );
}
