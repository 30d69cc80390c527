import type { IntentAnswer } from '@fairlead/contract/client';
import { Copyable } from '../../components/copyable.js';
import { Card, Fact, Facts } from '../../components/page-parts.js';
import { useAnchorName } from '../../data/corridors.js';
import { codesOf } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { methodName } from '../../i18n/translate.js';
import styles from './offramp.module.css';

type Props = { intent: IntentAnswer };
/** `target` is where links open: a page that holds what would be lost stays. */
type LinkingProps = Props & { target?: '_blank' };

/** What was quoted, and what was paid out. */
export function MoneyCard({ intent }: Props) {
  const { t, formats } = useLanguage();
  const { quote, outcome, sellAmount, minReceive, corridor } = intent;
  const { sold, paid } = codesOf(corridor);
  return (
    <Card title={t('offramp.money')}>
      <div class={styles.figures}>
        <p>
          <span>{t('offramp.sold')}</span>
          <strong>{formats.asset(sellAmount, sold)}</strong>
        </p>
        <p>
          <span>{t('offramp.quoted')}</span>
          <strong>{quote === null ? '–' : formats.money(quote.receiveAmount, paid)}</strong>
        </p>
        <p>
          <span>{t('offramp.paidOut')}</span>
          <strong>{outcome?.amountOut == null ? '–' : formats.money(outcome.amountOut, paid)}</strong>
        </p>
      </div>
      <Facts>
        {outcome?.shortfall != null && (
          <Fact name={t('offramp.shortfall')}>
            {Number(outcome.shortfall) === 0
              ? t('offramp.noShortfall')
              : t('offramp.shortfallOf', {
                  // Rounded down, so that 100 % always means all.
                  share: formats.number(outcome.shortfall, {
                    style: 'percent',
                    maximumSignificantDigits: 2,
                    roundingMode: 'floor',
                  }),
                })}
          </Fact>
        )}
        {outcome?.settleSeconds != null && (
          <Fact name={t('offramp.settleTime')}>{formats.duration(outcome.settleSeconds)}</Fact>
        )}
        {outcome?.paidOutAt != null && (
          <Fact name={t('offramp.paidOutAt')}>
            <time dateTime={outcome.paidOutAt}>{formats.dateTime(outcome.paidOutAt)}</time>
          </Fact>
        )}
        {minReceive !== null && <Fact name={t('offramp.minReceive')}>{formats.money(minReceive, paid)}</Fact>}
        <Fact name={t('offramp.quote')}>
          {quote === null
            ? t('offramp.noQuote')
            : t(`offramp.quote_${quote.tier}`, {
                rate: formats.money(quote.rate, paid),
                sold,
                at: formats.dateTime(quote.quotedAt),
              })}
          {quote?.unranked != null && <> {t(`offramp.unranked_${quote.unranked}`)}</>}
          {quote?.adjusted && (
            <> {t('offramp.adjusted', { amount: formats.asset(quote.sellAmount, sold) })}</>
          )}
        </Fact>
      </Facts>
    </Card>
  );
}

/** What the anchor says of the transaction, and how the outcome counts. */
export function RecordCard({ intent, target }: LinkingProps) {
  const { t, formats } = useLanguage();
  const { transaction, outcome, anchorId } = intent;
  const anchorName = useAnchorName(anchorId);
  if (transaction === null && outcome === null) return null;
  return (
    <Card title={t('offramp.record')}>
      <Facts>
        {transaction !== null && (
          <>
            <Fact name={t('offramp.transactionId')}>
              <Copyable text={transaction.id} name={t('offramp.transactionId')} />
            </Fact>
            <Fact name={t('offramp.anchorSays')}>
              {transaction.status === null ? t('offramp.notSeen') : <code>{transaction.status}</code>}
              {transaction.lastSeenAt !== null && (
                <>
                  {' · '}
                  <time dateTime={transaction.lastSeenAt}>{formats.dateTime(transaction.lastSeenAt)}</time>
                </>
              )}
            </Fact>
            {transaction.problem !== null && (
              <Fact name={t('offramp.problem')}>{t(`offramp.transaction_${transaction.problem}`)}</Fact>
            )}
          </>
        )}
        {outcome !== null && (
          <>
            <Fact name={t('offramp.evidence')}>{t(`offramp.evidence_${outcome.evidence}`)}</Fact>
            <Fact name={t('offramp.counts')}>
              {t(`offramp.counts_${outcome.counts}`)}
              {outcome.uncountedReason !== null && <> {t(`offramp.uncounted_${outcome.uncountedReason}`)}</>}
            </Fact>
          </>
        )}
      </Facts>
      <p>
        <a href={`/anchors/${anchorId}`} target={target} rel="noopener">
          {t('offramp.toAnchor', { anchor: anchorName })}
        </a>
      </p>
    </Card>
  );
}

/** The payment as recorded on the ledger, and the transaction that was named as the payment. */
export function LedgerCard({ intent }: Props) {
  const { t, formats } = useLanguage();
  const { payment, corridor } = intent;
  if (payment === null) return null;
  const { found, named } = payment;
  return (
    <Card title={t('offramp.ledger')}>
      {found === null && <p>{t('offramp.notFound')}</p>}
      <Facts>
        {found !== null && (
          <>
            <Fact name={t('offramp.paymentHash')}>
              <Copyable text={found.hash} name={t('offramp.paymentHash')} />
            </Fact>
            <Fact name={t('offramp.delivered')}>{formats.asset(found.amount, codesOf(corridor).sold)}</Fact>
            <Fact name={t('offramp.closed')}>
              <time dateTime={found.closedAt}>{formats.dateTime(found.closedAt)}</time>
              {' · '}
              {t('offramp.inLedger', { ledger: String(found.ledger) })}
            </Fact>
            <Fact name={t('offramp.from')}>
              <code>{found.from}</code>
            </Fact>
            <Fact name={t('offramp.to')}>
              <code>{found.to}</code>
            </Fact>
            {found.memo !== null && (
              <Fact name={t('offramp.memo')}>
                <code>{found.memo}</code> ({found.memoType})
              </Fact>
            )}
          </>
        )}
        {named
          .filter(({ problem }) => problem !== null)
          .map(({ hash, by, problem }) => (
            <Fact key={`${by} ${hash}`} name={t(`offramp.namedBy_${by}`)}>
              <code>{hash}</code>
              {problem !== null && <p>{t(`offramp.payment_${problem}`)}</p>}
            </Fact>
          ))}
      </Facts>
    </Card>
  );
}

/** The terms that the intent commits to. */
export function TermsCard({ intent, target }: LinkingProps) {
  const { t, formats } = useLanguage();
  const { account, anchorId, corridor, deliveryMethod, createdAt, expiresAt } = intent;
  const anchorName = useAnchorName(anchorId);
  const { sold, paid } = codesOf(corridor);
  return (
    <Card title={t('offramp.terms')}>
      <Facts>
        <Fact name={t('offramp.anchor')}>
          <a href={`/anchors/${anchorId}`} target={target} rel="noopener">
            {anchorName}
          </a>
        </Fact>
        <Fact name={t('offramp.corridor')}>
          <a href={`/rates/${corridor}`} target={target} rel="noopener">
            {sold} → {paid}
          </a>
        </Fact>
        <Fact name={t('offramp.account')}>
          <Copyable text={account} name={t('offramp.account')} />
        </Fact>
        <Fact name={t('offramp.delivery')}>
          {deliveryMethod === null ? t('offramp.anyDelivery') : methodName(deliveryMethod, t)}
        </Fact>
        <Fact name={t('offramp.createdAt')}>
          <time dateTime={createdAt}>{formats.dateTime(createdAt)}</time>
        </Fact>
        <Fact name={t('offramp.expiresAt')}>
          <time dateTime={expiresAt}>{formats.dateTime(expiresAt)}</time>
        </Fact>
      </Facts>
    </Card>
  );
}
