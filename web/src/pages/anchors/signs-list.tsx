import type { AnchorReputation, CardWithSigns } from '@fairlead/contract/client';
import { useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import styles from './signs-list.module.css';

type Record = AnchorReputation | CardWithSigns;
type Share = 'newAccountShare' | 'largestAccountShare' | 'busiestDayShare';

const shares: [Share, TextKey][] = [
  ['newAccountShare', 'anchors.signNewAccounts'],
  ['largestAccountShare', 'anchors.signLargestAccount'],
  ['busiestDayShare', 'anchors.signBusiestDay'],
];

/** Signs of how the record came about: who made it, when, and what vouches for it. */
export function SignsList({ record }: { record: Record }) {
  const { t, formats } = useLanguage();
  const counts: [TextKey, number, number?][] = [
    ['anchors.signAccounts', record.accounts],
    ['anchors.signAccountDays', record.accountDays],
    ['anchors.signLedger', record.ledgerOutcomes, record.ledgerOutcomes + record.anchorOutcomes],
    ['anchors.signTimesKnown', record.timesKnown, record.filled],
    ['anchors.signTimesWithheld', record.timesWithheld, record.filled],
  ];
  return (
    <dl class={styles.signs}>
      {counts.map(([text, count, of]) => (
        <div key={text}>
          <dt>{t(text)}</dt>
          <dd>
            {of === undefined
              ? formats.number(count)
              : t('anchors.countOf', { count: formats.number(count), all: formats.number(of) })}
          </dd>
        </div>
      ))}
      {shares.map(([name, text]) => (
        <div key={name}>
          <dt>{t(text)}</dt>
          <dd>
            <ShareBar share={record[name]} />
            {record[name] === null ? '–' : formats.percent(record[name])}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A share as a bar; the figure is beside it. */
function ShareBar({ share }: { share: string | null }) {
  return (
    <svg class={styles.share} aria-hidden="true">
      <rect class={styles.whole} width="100%" height="100%" rx="3" />
      <rect class={styles.part} width={`${100 * Number(share ?? 0)}%`} height="100%" rx="3" />
    </svg>
  );
}
