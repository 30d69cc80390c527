import type { LeaderboardEntry } from '@fairlead/contract/client';
import { IntervalScale } from '../../components/interval-mark.js';
import { RecordTable } from '../../components/record-table.js';
import { Tag } from '../../components/tag.js';
import { shortName } from '../../figures/anchor-name.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './leaderboard-table.module.css';
import { PaidOut } from './paid-out.js';
import { PayoutTime } from './payout-time.js';
import { Shortfall } from './shortfall.js';
import { StandingText } from './standing-text.js';
import type { RecordView } from './use-record-view.js';

export function LeaderboardTable(props: {
  caption: string;
  entries: readonly LeaderboardEntry[];
  view: RecordView;
  scaleMin: number;
}) {
  const { caption, entries, view, scaleMin } = props;
  const { t, formats } = useLanguage();
  return (
    <RecordTable
      caption={caption}
      rows={entries}
      keyOf={({ anchorId }) => anchorId}
      columns={[
        {
          label: t('anchors.anchor'),
          kind: 'name',
          cell: (entry) => (
            <div class={styles.anchor}>
              <span class={styles.rank}>{entry.rank ?? '–'}</span>
              <span>
                <a href={`/anchors/${entry.anchorId}${view.search}`}>{shortName(entry)}</a>{' '}
                {entry.simulated && <Tag text={t('anchors.simulated')} title={t('anchors.simulatedAbout')} />}
              </span>
            </div>
          ),
        },
        {
          label: t('anchors.score'),
          kind: 'main',
          cell: (entry) =>
            entry.score === null ? (
              <StandingText record={entry} />
            ) : (
              <span class={styles.score}>{formats.number(entry.score, { minimumFractionDigits: 2 })}</span>
            ),
        },
        {
          label: t('anchors.paidOut'),
          under: <IntervalScale min={scaleMin} />,
          kind: 'wide',
          cell: (entry) => <PaidOut record={entry} scaleMin={scaleMin} />,
        },
        {
          label: t('anchors.time'),
          kind: 'figure',
          cell: (entry) => <PayoutTime p50={entry.p50SettleSeconds} p95={entry.p95SettleSeconds} />,
        },
        {
          label: t('anchors.shortfall'),
          kind: 'figure',
          cell: (entry) => <Shortfall record={entry} />,
        },
        {
          label: t('anchors.disputes'),
          kind: 'figure',
          cell: (entry) => formats.number(entry.acceptedDisputes),
        },
      ]}
    />
  );
}
