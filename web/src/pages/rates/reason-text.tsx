import { useLanguage } from '../../i18n/language.js';
import { type Reason, reasonKey } from './reasons.js';

/** A reason of the service in plain words; its own name where this page has no words for it yet. */
export function ReasonText({ reason }: { reason: Reason }) {
  const { t } = useLanguage();
  const key = reasonKey(reason);
  return <>{key === undefined ? reason : t(key)}</>;
}
