import type { CorridorAnswer, RateQuote, RatesAnswer } from '@fairlead/contract/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Changing } from '../../components/changing.js';
import { RecordSentence } from '../../components/record-sentence.js';
import { Tag } from '../../components/tag.js';
import { Term } from '../../components/term.js';
import { useLanguage } from '../../i18n/language.js';
import { NextStep } from './next-step.js';
import { codesOf } from './offer-reason.js';
import styles from './offers.module.css';
import { QuoteParts } from './quote-parts.js';
import { ReasonText } from './reason-text.js';

/** One anchor's offer: why it stands where it stands, what it promises and counts as, its record, and the next step. */
export function Offer(props: {
  quote: RateQuote;
  answer: RatesAnswer;
  corridor: CorridorAnswer;
  name: string;
}) {
  const { quote, answer, corridor, name } = props;
  const { t } = useLanguage();
  const { anchorId } = quote;
  const isBest = answer.best?.anchorId === anchorId;
  return (
    <li class={`${styles.offer} ${isBest ? styles.best : ''}`}>
      <div>
        <h3 class={styles.name}>
          <a href={`/anchors/${anchorId}`}>{name}</a>
          {isBest && <Tag tone="accent" text={t('rates.tagBest')} />}
          {quote.tier === 'estimate' && (
            <Tag tone="warn" text={t('rates.tagEstimate')} title={t('rates.tagEstimateWhy')} />
          )}
        </h3>
        <p>
          <ReasonText quote={quote} answer={answer} corridor={corridor} />
        </p>
        <Record quote={quote} />
      </div>
      <Money quote={quote} answer={answer} />
      <div class={styles.folds}>
        <Fold summary={t('rates.sellHere', { anchor: name })} isStrong>
          <NextStep anchorId={anchorId} corridor={corridor.id} />
        </Fold>
        <Fold summary={t('rates.details')} name={t('rates.detailsOf', { anchor: name })}>
          <QuoteParts quote={quote} answer={answer} />
        </Fold>
      </div>
    </li>
  );
}

/** What is drawn only once it is unfolded. */
function Fold(props: { summary: string; name?: string; isStrong?: boolean; children: ComponentChildren }) {
  const { summary, name, isStrong = false, children } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={name}>{isStrong ? <strong>{summary}</strong> : summary}</summary>
      {isOpen && <div class={styles.unfolded}>{children}</div>}
    </details>
  );
}

function Money({ quote, answer }: { quote: RateQuote; answer: RatesAnswer }) {
  const { t, formats } = useLanguage();
  const { currency, stablecoin } = codesOf(answer);
  const received = formats.money(quote.receiveAmount, currency);
  const sold = formats.asset(quote.sellAmount, stablecoin);
  const figure = answer.receive === null ? received : sold;
  return (
    <dl class={styles.money}>
      <div>
        <dt>{t(answer.receive === null ? 'rates.paysOut' : 'rates.takes')}</dt>
        <dd class={styles.promise}>
          <Changing value={figure}>{figure}</Changing>
        </dd>
      </div>
      <div>
        <dt>
          <Term name="worth">{t('rates.worth')}</Term>
        </dt>
        <dd>{formats.money(quote.worth, currency)}</dd>
      </div>
      <div>
        <dt>
          <Term name="marketRate">{t('rates.cost')}</Term>
        </dt>
        <dd>
          {quote.cost !== null && formats.perCent(quote.cost.percent)}
          {quote.costUnavailable !== null && t(`rates.cost_${quote.costUnavailable}`)}
        </dd>
      </div>
    </dl>
  );
}

/** How the anchor has kept its word, in a line. */
function Record({ quote }: { quote: RateQuote }) {
  const { t, formats } = useLanguage();
  const { fillRate, outcomes, score, ...times } = quote.reputation;
  const filled = Math.round(Number(fillRate ?? 0) * outcomes);
  return (
    <p class={styles.record}>
      <RecordSentence record={{ ...times, filled, outcomes }} />
      {score !== null && (
        <>
          {' · '}
          <Term name="score">{t('rates.score')}</Term> {formats.points(score)}
        </>
      )}
    </p>
  );
}
