import type { AnchorReputation, CardWithSigns } from '@fairlead/contract/client';
import { Card } from '../../components/card.js';
import { Fact, Facts } from '../../components/facts.js';
import type { Answered } from '../../data/use-answer.js';
import { useLanguage } from '../../i18n/language.js';
import { Text } from '../../i18n/text.js';
import type { TextKey } from '../../i18n/translate.js';
import { CorridorsTable } from './corridors-table.js';
import styles from './figures.module.css';
import { HistoryCard } from './history-card.js';
import type { RecordView } from './use-record-view.js';

/** The record day by day and corridor by corridor, and signs of how it came about. */
export function RecordTab(props: { anchorId: string; answer: Answered<AnchorReputation>; view: RecordView }) {
  const { anchorId, answer, view } = props;
  const { t } = useLanguage();
  const record = answer.value;
  const shown =
    view.corridor === undefined
      ? record
      : record?.corridors.find(({ corridor }) => corridor === view.corridor);
  return (
    <>
      <HistoryCard anchorId={anchorId} view={view} />
      {record !== undefined && record.corridors.length > 0 && (
        <Card title={t('anchors.corridors')}>
          <CorridorsTable cards={record.corridors} />
        </Card>
      )}
      {shown !== undefined && shown.outcomes > 0 && (
        <details>
          <summary>{t('anchors.signs')}</summary>
          <p class={styles.note}>
            <Text of="anchors.signsAbout" />
          </p>
          <Signs record={shown} />
        </details>
      )}
    </>
  );
}

/** Signs of how the record came about: who made it, when, and what vouches for it. */
function Signs({ record }: { record: AnchorReputation | CardWithSigns }) {
  const { t, formats } = useLanguage();
  const of = (count: number, all: number) => t('anchors.countOf', { count, all });
  const share = (value: string | null) => (value === null ? '–' : formats.percent(value));
  const all = record.ledgerOutcomes + record.anchorOutcomes;
  const signs: [TextKey, string][] = [
    ['anchors.signAccounts', formats.number(record.accounts)],
    ['anchors.signAccountDays', formats.number(record.accountDays)],
    ['anchors.signLedger', of(record.ledgerOutcomes, all)],
    ['anchors.signTimesKnown', of(record.timesKnown, record.filled)],
    ['anchors.signTimesWithheld', of(record.timesWithheld, record.filled)],
    ['anchors.signNewAccounts', share(record.newAccountShare)],
    ['anchors.signLargestAccount', share(record.largestAccountShare)],
    ['anchors.signBusiestDay', share(record.busiestDayShare)],
  ];
  return (
    <Facts>
      {signs.map(([text, value]) => (
        <Fact key={text} name={t(text)}>
          {value}
        </Fact>
      ))}
    </Facts>
  );
}
