import { PageHeading } from '../../components/page-heading.js';
import { useLanguage } from '../../i18n/language.js';
import { Desk } from './desk.js';

/** The admin's desk. */
export function DeskPage() {
  const { t } = useLanguage();
  return (
    <>
      <PageHeading title={t('desk.title')}>{t('desk.lead')}</PageHeading>
      <Desk />
    </>
  );
}
