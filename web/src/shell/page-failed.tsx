import { useEffect } from 'preact/hooks';
import { Button } from '../components/button.js';
import { PageHeading } from '../components/page-heading.js';
import { useLanguage } from '../i18n/language.js';

/**
 * Replaces a page whose code did not load, or that has a fault. The code may be gone because the service was updated: a
 * reload then fetches the new code.
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
