import type { CorridorAnswer } from '@fairlead/contract/client';
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { AnswerView } from '../../components/answer-view.js';
import { Text } from '../../components/inline.js';
import { Empty, Notice, SimulatedBanner } from '../../components/notice.js';
import { PageHeading } from '../../components/page-parts.js';
import { corridorsQuestion } from '../../data/corridors.js';
import { useAnswer } from '../../data/use-answer.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { AskCard } from './ask-card.js';
import { HistoryCard } from './history-card.js';
import { Offers } from './offers.js';
import styles from './rates-page.module.css';
import { useBoard } from './use-board.js';
import { useRatesView } from './use-rates-view.js';

/** What is paid out for an amount now, who pays it, and why that offer is the first. */
export function RatesPage() {
  const { t, locale } = useLanguage();
  const { params } = useRoute();
  const corridors = useAnswer(corridorsQuestion);
  const asked = params.corridor?.toLowerCase();
  const shown = corridors.value && chosenCorridor(corridors.value, asked);
  return (
    <>
      <PageHeading title={t('rates.title')} documentTitle={shown && corridorName(shown.id, locale)}>
        <Text of="rates.lead" />
      </PageHeading>
      <AnswerView answer={corridors} lines={8}>
        {(all) => <Corridors all={all} asked={asked} />}
      </AnswerView>
    </>
  );
}

function Corridors({ all, asked }: { all: CorridorAnswer[]; asked: string | undefined }) {
  const { t, locale } = useLanguage();
  const corridor = chosenCorridor(all, asked);
  if (corridor !== undefined)
    return (
      <Fragment key={corridor.id}>
        <CorridorRates corridors={all} corridor={corridor} />
        <ThreeSteps />
        <HistoryCard corridor={corridor} />
      </Fragment>
    );
  if (asked === undefined) return <Empty title={t('rates.noCorridors')} />;
  return (
    <Notice tone="warn" title={t('rates.unknownCorridor', { corridor: corridorName(asked, locale) })}>
      <ul>
        {all.map(({ id }) => (
          <li key={id}>
            <a href={`/rates/${id}`}>{corridorName(id, locale)}</a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** The one that the address names; the page begins with the corridor where most anchors can be compared. */
function chosenCorridor(corridors: CorridorAnswer[], asked: string | undefined): CorridorAnswer | undefined {
  if (asked !== undefined) return corridors.find(({ id }) => id === asked);
  return corridors.toSorted((a, b) => b.anchors.length - a.anchors.length)[0];
}

function CorridorRates({ corridors, corridor }: { corridors: CorridorAnswer[]; corridor: CorridorAnswer }) {
  const view = useRatesView(corridor);
  const board = useBoard(corridor, view.asked);
  const [isUnreadable, setUnreadable] = useState(false);
  const isOfBefore = isUnreadable || board.answer.value === undefined;
  return (
    <>
      <SimulatedBanner isShown={corridor.anchors.every(({ simulated }) => simulated)} />
      <AskCard
        corridors={corridors}
        corridor={corridor}
        view={view}
        board={board}
        isOfBefore={isOfBefore}
        onUnreadable={setUnreadable}
      />
      <Offers board={board} corridor={corridor} sort={view.sort} isOfBefore={isOfBefore} />
    </>
  );
}

const steps = ['One', 'Two', 'Three'] as const;

/** What this service is, for somebody who has never heard of it. */
function ThreeSteps() {
  const { t } = useLanguage();
  return (
    <section class={styles.about} aria-labelledby="three-steps">
      <h2 id="three-steps">{t('rates.how')}</h2>
      <ol class={styles.steps}>
        {steps.map((step) => (
          <li key={step}>
            <h3>{t(`rates.step${step}`)}</h3>
            <p>
              <Text of={`rates.step${step}About`} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
