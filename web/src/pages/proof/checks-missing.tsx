import { Button } from '../../components/button.js';
import { Notice } from '../../components/notice.js';
import { useLanguage } from '../../i18n/language.js';
import { useAreChecksMissing } from './use-checks.js';

/** Says that the verifying code could not be loaded; a document keeps a failed load, so it has to be reloaded. */
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
