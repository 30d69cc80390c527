import type { CorridorAnswer, RateQuote, RatesAnswer } from '@fairlead/contract/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { AnswerView } from '../../components/answer-view.js';
import { Changing, Tag, Term } from '../../components/inline.js';
import { RecordSentence } from '../../components/record-sentence.js';
import { useAnswer } from '../../data/use-answer.js';
import { siteOf } from '../../figures/anchor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { anchorQuestion } from '../anchors/questions.js';
import { codesOf, reasonOf } from './offer-reason.js';
import styles from './offers.module.css';
import { QuoteParts } from './quote-parts.js';

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

/** Why an offer stands where it stands, in a sentence or two. */
function ReasonText(props: { quote: RateQuote; answer: RatesAnswer; corridor: CorridorAnswer }) {
  const { quote, answer, corridor } = props;
  const { t, formats } = useLanguage();
  const { currency, stablecoin } = codesOf(answer);
  const money = (amount: string) => formats.money(amount, currency);
  if (quote.unranked !== null) return <>{t(`rates.unranked_${quote.unranked}`)}</>;
  const reason = reasonOf(quote, answer, corridor.speedTargetSeconds);
  if (reason.kind === 'first')
    return (
      <>
        {t(`rates.first_${reason.why}`, {
          anchor: reason.other ?? '',
          better: money(reason.better ?? '0'),
          more: money(reason.more ?? '0'),
        })}
      </>
    );
  const { reputation } = quote;
  return (
    <>
      {t(`rates.cause_${reason.cause}`, {
        most: String(reason.isMost),
        of: Math.round(1 / (1 - Number(reputation.fillRate ?? 0))),
        time: formats.duration(reputation.p50SettleSeconds ?? 0),
        share: formats.smallShare(reputation.meanShortfall ?? '0'),
        outcomes: reputation.outcomes,
        amount: formats.asset(quote.sellAmount, stablecoin),
        less: money(reason.less),
      })}{' '}
      {reason.behind !== undefined && t('rates.behind', { amount: money(reason.behind) })}
    </>
  );
}

/** How a person goes on from an offer: at the anchor's own site, or by a wallet that knows the anchor. */
function NextStep({ anchorId, corridor }: { anchorId: string; corridor: string }) {
  const { t } = useLanguage();
  const answer = useAnswer(anchorQuestion(anchorId));
  return (
    <AnswerView answer={answer} lines={2}>
      {({ homeDomain }) => (
        <>
          {homeDomain !== null && (
            <p>
              {t('rates.nextSite')}{' '}
              <a href={siteOf(homeDomain)} rel="noopener">
                {t('rates.nextSiteLink', { domain: homeDomain.replace(/^https?:\/\//, '') })}
              </a>
            </p>
          )}
          <p>
            {t('rates.nextWallet')}{' '}
            <a href={`/anchors/${anchorId}?show=start&corridor=${corridor}`}>{t('rates.nextWalletLink')}</a>
          </p>
        </>
      )}
    </AnswerView>
  );
}
