import type { AnchorReputation, CardWithSigns } from '@fairlead/contract/client';
import { Term } from '../../components/inline.js';
import { Card } from '../../components/page-parts.js';
import { RecordSentence } from '../../components/record-sentence.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './anchors.module.css';
import { ComputedAt, StandingText, StandsStill } from './record-marks.js';
import { meanParts, partNames, type ScoreParts, scoreParts, wholeHundred } from './score-parts.js';
import type { RecordView } from './use-record-view.js';

/** What the outcomes say of an anchor: a verdict, its score in a sentence, and where the other points went. */
export function VerdictCard(props: { record: AnchorReputation; view: RecordView; proof: string }) {
  const { record, view, proof } = props;
  const { t, locale } = useLanguage();
  const { corridor } = view;
  const card = record.corridors.find((each) => each.corridor === corridor);
  // If no corridor is chosen, the record of the whole anchor is shown; if the chosen one has no card, nothing is.
  const shown = corridor === undefined ? record : card;
  const parts = card === undefined ? meanParts(record.corridors) : scoreParts(card);
  const title =
    corridor === undefined
      ? t('anchors.verdict')
      : t('anchors.verdictIn', { corridor: corridorName(corridor, locale) });
  return (
    <>
      <StandsStill since={record.standsStillSince} />
      <Card title={title} aside={<ComputedAt instant={record.computedAt} />}>
        {shown === undefined ? (
          <p class={styles.soft}>{t('anchors.noCard')}</p>
        ) : (
          <>
            <p class={styles.verdict}>
              <RecordSentence record={shown} />
            </p>
            <Score record={shown} parts={parts} />
            <p>
              <a href={proof}>{t('anchors.toProof')}</a>
            </p>
          </>
        )}
      </Card>
    </>
  );
}

function Score({ record, parts }: { record: AnchorReputation | CardWithSigns; parts: ScoreParts | null }) {
  const { t, formats } = useLanguage();
  if (record.score === null || parts === null)
    return (
      <p>
        {t('anchors.provisional')} <StandingText record={record} />
      </p>
    );
  const shares = wholeHundred(record.score, parts);
  const largest = partNames.toSorted((a, b) => shares[b] - shares[a])[0] ?? 'doubt';
  return (
    <>
      <p>
        <Term name="score">{t('anchors.score')}</Term>{' '}
        <strong class={styles.score}>{formats.points(record.score)}</strong> {t('anchors.of100')}.{' '}
        {shares[largest] > 0 && t(`anchors.most_${largest}`, { points: formats.points(shares[largest]) })}
      </p>
      <Picture score={record.score} shares={shares} record={record} />
    </>
  );
}

/** The hundred points as a bar, and each part in words, in the order of the bar; a part of nothing is left out. */
function Picture(props: { score: string; shares: ScoreParts; record: AnchorReputation | CardWithSigns }) {
  const { score, shares, record } = props;
  const { t, formats } = useLanguage();
  const target = 'speedTargetSeconds' in record ? record.speedTargetSeconds : undefined;
  const values = {
    unpaid: record.outcomes - record.filled,
    outcomes: record.outcomes,
    quoted: record.quotedOutcomes,
    time: formats.duration(record.p50SettleSeconds ?? 0),
    // Several corridors have no common target time.
    target: target === undefined ? '' : formats.duration(target),
  };
  const taken = partNames.filter((name) => shares[name] > 0);
  return (
    <div>
      <div class={styles.bar} aria-hidden="true">
        <span style={{ flexGrow: Number(score) }} class={styles.part_score} />
        {taken.map((name) => (
          <span key={name} style={{ flexGrow: shares[name] }} class={styles[`part_${name}`]} />
        ))}
      </div>
      <ul class={styles.parts}>
        <li>
          <span class={`${styles.swatch} ${styles.part_score}`} /> {t('anchors.kept')}{' '}
          <strong>{formats.points(score)}</strong>
        </li>
        {taken.map((name) => (
          <li key={name}>
            <span class={`${styles.swatch} ${styles[`part_${name}`]}`} /> {t(`anchors.part_${name}`, values)}{' '}
            <strong>{formats.points(shares[name])}</strong>
          </li>
        ))}
      </ul>
    </div>
  );
}
