import { useRoute } from 'preact-iso';
import { Card } from '../../components/card.js';
import { PageHeading } from '../../components/page-heading.js';
import { useLanguage } from '../../i18n/language.js';
import { FollowForm } from './follow-form.js';
import { FollowedOfframp } from './followed-offramp.js';
import { readIntentHash } from './intent-hash.js';
import { RememberedList } from './remembered-list.js';

export function OfframpPage() {
  const { t } = useLanguage();
  const { params } = useRoute();
  const asked = params.intentHash ?? '';
  const intentHash = readIntentHash(asked);
  if (intentHash !== undefined) return <FollowedOfframp key={intentHash} intentHash={intentHash} />;
  return (
    <>
      <PageHeading title={t('offramp.title')}>{t('offramp.lead')}</PageHeading>
      <FollowForm key={asked} first={asked} />
      <RememberedList />
      <Card title={t('offramp.about')}>
        <p>{t('offramp.aboutHash')}</p>
        <p>{t('offramp.aboutPrivacy')}</p>
      </Card>
    </>
  );
}
