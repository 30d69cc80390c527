import type { CorridorAnswer } from '@fairlead/contract/client';
import { useRoute } from 'preact-iso';
import { AnswerView } from '../../components/answer-view.js';
import { Empty } from '../../components/empty.js';
import { Notice } from '../../components/notice.js';
import { PageHeading } from '../../components/page-heading.js';
import { codeOf, corridorsQuestion } from '../../data/corridors.js';
import { useAnswer } from '../../data/use-answer.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { AskForm } from './ask-form.js';
import { Board } from './board.js';
import { HistoryCard } from './history-card.js';
import { ShareCard } from './share-card.js';
import { useBoard } from './use-board.js';
import { useRatesView } from './use-rates-view.js';

/** What every anchor of a corridor pays out now, and what they offered lately. */
export function RatesPage() {
  const { t, locale } = useLanguage();
  const { params } = useRoute();
  const corridors = useAnswer(corridorsQuestion);
  const asked = params.corridor?.toLowerCase();
  const shown = corridors.value && chosenCorridor(corridors.value, asked);
  return (
    <>
      <PageHeading title={t('rates.title')} documentTitle={shown && corridorName(shown.id, locale)}>
        {t('rates.lead')}
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
  if (corridor !== undefined) return <CorridorRates corridors={all} corridor={corridor} />;
  if (asked === undefined) return <Empty title={t('rates.noCorridors')} />;
  return (
    <Notice tone="warn" title={t('rates.unknownCorridor', { corridor: asked })}>
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
  const { t, formats } = useLanguage();
  const view = useRatesView(corridor);
  const board = useBoard(corridor, view.asked);
  const shown = board.answer.value ?? board.before;
  const best = shown?.quotes.find(({ anchorId }) => anchorId === shown.best?.anchorId);
  const stablecoin = codeOf(corridor.sellAsset);
  const refusal = board.isAmountRefused
    ? t('rates.amountRefused', {
        min: formats.number(corridor.min),
        max: formats.asset(corridor.max, stablecoin),
      })
    : undefined;
  return (
    <>
      <AskForm
        corridors={corridors}
        corridor={corridor}
        view={view}
        refusal={refusal}
        payout={best?.receiveAmount}
      />
      <Board
        board={board}
        corridor={corridor}
        sort={view.sort}
        onSort={view.chooseSort}
        opened={view.opened}
        onOpen={view.open}
      />
      <HistoryCard corridor={corridor} />
      <ShareCard corridor={corridor} view={view} />
    </>
  );
}
