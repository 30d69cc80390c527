import { Empty } from '../../components/empty.js';
import { PageHeading } from '../../components/page-heading.js';
import { isOwnOrigin } from '../../data/service.js';
import { useLanguage } from '../../i18n/language.js';
import { Desk } from './desk.js';

/** The admin's desk. It takes a key only on the service's own origin, because no other page must receive it. */
export function DeskPage() {
  const { t } = useLanguage();
  return (
    <>
      <PageHeading title={t('desk.title')}>{t('desk.lead')}</PageHeading>
      {isOwnOrigin ? (
        <Desk />
      ) : (
        <Empty title={t('desk.elsewhere')}>
          <p>{t('desk.elsewhereWhy')}</p>
        </Empty>
      )}
    </>
  );
}
