import type { AnchorReputation } from '@fairlead/contract/client';
import type { ComponentChildren } from 'preact';
import { Card } from '../../components/card.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { CorridorsTable } from './corridors-table.js';
import styles from './figures.module.css';
import { ComputedAt, StandsStill } from './freshness.js';
import { ScorePanel } from './score-panel.js';
import { meanParts, scoreParts } from './score-parts.js';
import { SignsList } from './signs-list.js';
import type { RecordView } from './use-record-view.js';

/** What the outcomes say: the score and its parts, the record in each corridor, and how the record came about. */
export function RecordCards(props: {
  record: AnchorReputation;
  view: RecordView;
  /** Between the score and the corridors. */
  children: ComponentChildren;
}) {
  const { record, view, children } = props;
  const { t, locale } = useLanguage();
  const { corridor } = view;
  const card = record.corridors.find((each) => each.corridor === corridor);
  const title =
    corridor === undefined
      ? t('anchors.score')
      : t('anchors.scoreIn', { corridor: corridorName(corridor, locale) });
  // If no corridor is chosen, the record of the whole anchor is shown; if the chosen one has no card, nothing is.
  const shown = corridor === undefined ? record : card;
  const parts = card === undefined ? meanParts(record.corridors) : scoreParts(card);
  return (
    <>
      <StandsStill since={record.standsStillSince} />
      <Card title={title} aside={<ComputedAt instant={record.computedAt} />}>
        {shown === undefined ? (
          <p class={styles.soft}>{t('anchors.noCard')}</p>
        ) : (
          <ScorePanel record={shown} parts={parts} scored={scoredIn(record, corridor)} />
        )}
      </Card>
      {children}
      <Card title={t('anchors.corridors')}>
        {record.corridors.length === 0 ? (
          <p class={styles.soft}>{t('anchors.noCard')}</p>
        ) : (
          <CorridorsTable cards={record.corridors} />
        )}
      </Card>
      {shown !== undefined && shown.outcomes > 0 && (
        <Card title={t('anchors.signs')}>
          <p class={styles.note}>{t('anchors.signsAbout')}</p>
          <SignsList record={shown} />
        </Card>
      )}
    </>
  );
}

/** How many corridors' scores are averaged; undefined if one corridor is chosen. */
function scoredIn(record: AnchorReputation, corridor: string | undefined): number | undefined {
  return corridor === undefined ? record.corridors.filter(({ score }) => score !== null).length : undefined;
}
