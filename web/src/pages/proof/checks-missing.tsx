import { Button } from '../../components/button.js';
import { Notice } from '../../components/notice.js';
import { useLanguage } from '../../i18n/language.js';
import { useAreChecksMissing } from './use-checks.js';

/** Says so where the code that verifies did not arrive: a document keeps what failed to load, so it has to be loaded anew. */
export function ChecksMissing() {
  const { t } = useLanguage();
  if (!useAreChecksMissing()) return null;
  return (
    <Notice tone="bad" title={t('proof.notLoaded')}>
      <p>
        <Button onClick={() => location.reload()}>{t('common.reload')}</Button>
      </p>
    </Notice>
  );
}
