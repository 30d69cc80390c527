import { useEffect } from 'preact/hooks';
import { Button } from '../components/button.js';
import { PageHeading } from '../components/page-heading.js';
import { useLanguage } from '../i18n/language.js';

/**
 * In place of a page whose code did not arrive, or that has a fault. Its code may be gone because the service was
 * updated: then a reload brings the new one.
 */
export function PageFailed() {
  const { t } = useLanguage();
  const reload = () => location.reload();
  useEffect(() => {
    addEventListener('online', reload);
    return () => removeEventListener('online', reload);
  }, []);
  if (!navigator.onLine)
    return <PageHeading title={t('common.problemOffline')}>{t('common.offlineWait')}</PageHeading>;
  return (
    <>
      <PageHeading title={t('common.pageFailed')}>{t('common.pageFailedWhy')}</PageHeading>
      <p>
        <Button onClick={reload}>{t('common.reload')}</Button>
      </p>
    </>
  );
}
