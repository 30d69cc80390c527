import type { IntentAnswer } from '@fairlead/contract/client';
import { Copyable } from '../../components/copyable.js';
import { At, Text } from '../../components/inline.js';
import { Card, Facts } from '../../components/page-parts.js';
import { useAnchorName } from '../../data/corridors.js';
import { codesOf, corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { methodName, type TextKey } from '../../i18n/translate.js';
import styles from './offramp.module.css';

type Props = { intent: IntentAnswer };
/** `target` is where links open: a page that holds what would be lost stays. */
type LinkingProps = Props & { target?: '_blank' };

/** What was quoted, and what was paid out. */
export function MoneyCard({ intent }: Props) {
  const { t, formats } = useLanguage();
  const { quote, outcome, sellAmount, minReceive, corridor } = intent;
  const { sold, paid } = codesOf(corridor);
  const figures = [
    [t('offramp.sold'), formats.asset(sellAmount, sold)],
    [t('offramp.quoted'), quote && formats.money(quote.receiveAmount, paid)],
    [t('offramp.paidOut'), outcome?.amountOut && formats.money(outcome.amountOut, paid)],
  ] as const;
  return (
    <Card title={t('offramp.money')}>
      <div class={styles.figures}>
        {figures.map(([name, figure]) => (
          <p key={name}>
            <span>{name}</span>
            <strong>{figure ?? '–'}</strong>
          </p>
        ))}
      </div>
      <Facts
        of={{
          [t('offramp.shortfall')]: outcome?.shortfall && <Shortfall shortfall={outcome.shortfall} />,
          [t('offramp.settleTime')]:
            outcome?.settleSeconds != null && formats.duration(outcome.settleSeconds),
          [t('offramp.paidOutAt')]: outcome?.paidOutAt && <At instant={outcome.paidOutAt} />,
          [t('offramp.minReceive')]: minReceive && formats.money(minReceive, paid),
          [t('offramp.quote')]: <Quote intent={intent} />,
        }}
      />
    </Card>
  );
}

function Shortfall({ shortfall }: { shortfall: string }) {
  const { t, formats } = useLanguage();
  if (Number(shortfall) === 0) return <>{t('offramp.noShortfall')}</>;
  return <>{t('offramp.shortfallOf', { share: formats.smallShare(shortfall) })}</>;
}

function Quote({ intent: { quote, corridor } }: Props) {
  const { t, formats } = useLanguage();
  const { sold, paid } = codesOf(corridor);
  if (quote === null) return <>{t('offramp.noQuote')}</>;
  const { tier, rate, quotedAt, unranked, adjusted, sellAmount } = quote;
  return (
    <>
      {t(`offramp.quote_${tier}`, {
        rate: formats.money(rate, paid),
        sold,
        at: formats.dateTime(quotedAt),
      })}{' '}
      {unranked !== null && t(`offramp.unranked_${unranked}`)}{' '}
      {adjusted && t('offramp.adjusted', { amount: formats.asset(sellAmount, sold) })}
    </>
  );
}

/** What the anchor says of the transaction, and how the outcome counts. */
export function RecordCard({ intent, target }: LinkingProps) {
  const { t } = useLanguage();
  const { transaction, outcome, anchorId } = intent;
  const anchorName = useAnchorName(anchorId);
  if (transaction === null && outcome === null) return null;
  const problem = transaction?.problem;
  return (
    <Card title={t('offramp.record')}>
      <Facts
        of={{
          [t('offramp.transactionId')]: transaction && (
            <Copyable text={transaction.id} name={t('offramp.transactionId')} />
          ),
          [t('offramp.anchorSays')]: transaction && (
            <>
              {t(`offramp.says_${transaction.status ?? 'nothing'}` as TextKey)}
              {transaction.lastSeenAt !== null && ' · '}
              {transaction.lastSeenAt !== null && <At instant={transaction.lastSeenAt} />}
            </>
          ),
          [t('offramp.problem')]: problem && t(`offramp.transaction_${problem}`),
          [t('offramp.evidence')]: outcome && <Text of={`offramp.evidence_${outcome.evidence}`} />,
          [t('offramp.counts')]: outcome && (
            <>
              {t(`offramp.counts_${outcome.counts}`)}{' '}
              {outcome.uncountedReason !== null && t(`offramp.uncounted_${outcome.uncountedReason}`)}
            </>
          ),
        }}
      />
      <p>
        <a href={`/anchors/${anchorId}`} target={target} rel="noopener">
          {t('offramp.toAnchor', { anchor: anchorName })}
        </a>
      </p>
    </Card>
  );
}

/** The payment as recorded on the ledger, and the transactions that were named as the payment and are none. */
export function LedgerCard({ intent }: Props) {
  const { t, formats } = useLanguage();
  const { payment, corridor } = intent;
  if (payment === null) return null;
  const { found, named } = payment;
  return (
    <Card title={t('offramp.ledger')}>
      {found === null ? (
        <p>{t('offramp.notFound')}</p>
      ) : (
        <Facts
          of={{
            [t('offramp.paymentHash')]: <Copyable text={found.hash} name={t('offramp.paymentHash')} />,
            [t('offramp.delivered')]: formats.asset(found.amount, codesOf(corridor).sold),
            [t('offramp.closed')]: (
              <>
                <At instant={found.closedAt} /> · {t('offramp.inLedger', { ledger: String(found.ledger) })}
              </>
            ),
            [t('offramp.from')]: <code>{found.from}</code>,
            [t('offramp.to')]: <code>{found.to}</code>,
            [t('offramp.memo')]: found.memo && (
              <>
                <code>{found.memo}</code> ({found.memoType})
              </>
            ),
          }}
        />
      )}
      {named.map(
        ({ hash, by, problem }) =>
          problem !== null && (
            <p key={`${by} ${hash}`}>
              {t(`offramp.namedBy_${by}`)}: <code>{hash}</code> {t(`offramp.payment_${problem}`)}
            </p>
          ),
      )}
    </Card>
  );
}

/** The terms that the intent commits to. */
export function TermsCard({ intent, target }: LinkingProps) {
  const { t, locale } = useLanguage();
  const { account, anchorId, corridor, deliveryMethod, createdAt, expiresAt, intentHash } = intent;
  const anchorName = useAnchorName(anchorId);
  const link = (href: string, text: string) => (
    <a href={href} target={target} rel="noopener">
      {text}
    </a>
  );
  return (
    <Card title={t('offramp.terms')}>
      <Facts
        of={{
          [t('offramp.anchor')]: link(`/anchors/${anchorId}`, anchorName),
          [t('offramp.corridor')]: link(`/rates/${corridor}`, corridorName(corridor, locale)),
          [t('offramp.account')]: <Copyable text={account} name={t('offramp.account')} />,
          [t('offramp.delivery')]:
            deliveryMethod === null ? t('offramp.anyDelivery') : methodName(deliveryMethod, t),
          [t('offramp.createdAt')]: <At instant={createdAt} />,
          [t('offramp.expiresAt')]: <At instant={expiresAt} />,
          [t('offramp.hash')]: <Copyable text={intentHash} name={t('offramp.hash')} />,
        }}
      />
    </Card>
  );
}
