import { useNow } from '../data/use-now.js';
import { useLanguage } from '../i18n/language.js';

/** How long ago an instant was, counting up; the exact time on hover and for machines. */
export function TimeAgo({ instant }: { instant: string }) {
  const { formats } = useLanguage();
  const now = useNow();
  const seconds = Math.max(0, (now - Date.parse(instant)) / 1_000);
  return (
    <time dateTime={instant} title={formats.dateTime(instant)}>
      {formats.ago(seconds)}
    </time>
  );
}
