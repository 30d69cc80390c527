import type { CorridorAnswer, RatesAnswerUnavailableItem } from '@fairlead/contract/client';
import { anchorNames } from '../../figures/anchor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { AnchorLink, type BoardPlace } from './anchor-link.js';
import styles from './missing-anchors.module.css';
import { ReasonText } from './reason-text.js';

/** The anchors of the corridor without a quote, and why they have none. */
export function MissingAnchors(props: {
  unavailable: readonly RatesAnswerUnavailableItem[];
  corridor: CorridorAnswer;
  place: BoardPlace;
}) {
  const { unavailable, corridor, place } = props;
  const { t } = useLanguage();
  if (unavailable.length === 0) return null;
  const nameOf = anchorNames([corridor]);
  return (
    <section class={styles.missing} aria-labelledby="missing-anchors">
      <h2 id="missing-anchors">{t('rates.missing', { count: unavailable.length })}</h2>
      <ul>
        {unavailable.map(({ anchorId, reason }) => (
          <li key={anchorId}>
            <AnchorLink anchorId={anchorId} place={place}>
              {nameOf(anchorId)}
            </AnchorLink>
            <span>
              <ReasonText reason={reason} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
