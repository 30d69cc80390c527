import { Text } from '../../components/inline.js';
import { PageHeading } from '../../components/page-parts.js';
import { useViewPart } from '../../data/use-view-part.js';
import { useLanguage } from '../../i18n/language.js';
import { FollowForm, IntentView } from '../offramp/follow-form.js';
import { readIntentHash } from '../offramp/intent-hash.js';
import { useIntent } from '../offramp/use-intent.js';
import styles from './dispute.module.css';
import { DisputeSteps } from './dispute-steps.js';

export function DisputePage() {
  const { t } = useLanguage();
  const [asked, setAsked] = useViewPart('intent', '');
  const intentHash = readIntentHash(asked);
  const answer = useIntent(intentHash);
  return (
    <div class={styles.page}>
      <PageHeading title={t('dispute.title')}>
        <Text of="dispute.lead" />
      </PageHeading>
      <FollowForm key={asked} first={asked} label={t('dispute.open')} onFollow={setAsked} />
      {intentHash !== undefined && (
        <IntentView answer={answer}>
          {(intent) => <DisputeSteps key={intentHash} intent={intent} onFiled={answer.ask} />}
        </IntentView>
      )}
    </div>
  );
}
