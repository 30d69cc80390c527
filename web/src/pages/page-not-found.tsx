import { PageHeading } from '../components/page-heading.js';
import { useLanguage } from '../i18n/language.js';

export function PageNotFound() {
  const { t } = useLanguage();
  return (
    <PageHeading title={t('common.notFound')}>
      <a href="/">{t('common.toRates')}</a>
    </PageHeading>
  );
}
