import { useLocation, useRoute } from 'preact-iso';
import { Card } from '../../components/card.js';
import { PageHeading } from '../../components/page-heading.js';
import { useLanguage } from '../../i18n/language.js';
import { Text } from '../../i18n/text.js';
import { FollowForm } from './follow-form.js';
import { FollowedOfframp } from './followed-offramp.js';
import { readIntentHash } from './intent-hash.js';

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
