import type { PublishedBatch } from '@fairlead/contract/client';
import { TimeAgo } from '../../components/time-ago.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './chain.module.css';
import type { CheckedBatch } from './check/index.js';
import { Hash } from './hash.js';
import { Mark } from './mark.js';

/** One batch, and its link to the one before it. */
export function BatchItem(props: { batch: PublishedBatch; checked: CheckedBatch | undefined }) {
  const { batch, checked } = props;
  const { t } = useLanguage();
  const { header, headerHash, receipt } = batch;
  const { sequence, formula, size, createdAt, root, previous } = header;
  return (
    <li class={styles.batch}>
      <div class={styles.head}>
        <h3>{t('proof.number', { sequence })}</h3>
        <span class={styles.soft}>
          {t('proof.about', { formula, size })} · <TimeAgo instant={createdAt} />
        </span>
        <BatchMark checked={checked} />
      </div>
      {checked !== undefined && checked.fault !== null && (
        <p class={styles.fault}>{t(`proof.fault_${checked.fault}`)}</p>
      )}
      <dl class={styles.facts}>
        <div>
          <dt>{t('proof.root')}</dt>
          <dd>
            <Hash value={root} />
          </dd>
        </div>
        <div>
          <dt>{t('proof.headerHash')}</dt>
          <dd>
            <Hash value={headerHash} />
          </dd>
        </div>
        <div>
          <dt>{t('proof.signedBy')}</dt>
          <dd>
            <Hash value={batch.publicKey} />
          </dd>
        </div>
        <div>
          <dt>{t('proof.receipt')}</dt>
          <dd>
            {receipt === null ? (
              t('proof.noReceipt')
            ) : (
              <>
                <Hash value={receipt.oracle} /> · <TimeAgo instant={receipt.receivedAt} />
              </>
            )}
          </dd>
        </div>
      </dl>
      <details>
        <summary>{t('proof.wholeBatch', { sequence })}</summary>
        <pre class={styles.whole}>{JSON.stringify(batch, null, 2)}</pre>
      </details>
      <p
        class={`${styles.link} ${checked?.isLinked === true && checked.fault === null ? styles.linked : ''}`}
      >
        {previous === null ? (
          t('proof.linkFirst')
        ) : (
          <>
            {t(linkText(checked), { sequence: sequence - 1 })} <Hash value={previous} />
          </>
        )}
      </p>
    </li>
  );
}

function linkText(checked: CheckedBatch | undefined) {
  if (checked?.fault === 'broken_chain') return 'proof.linkBroken' as const;
  return checked?.isLinked === true ? ('proof.linkHolds' as const) : ('proof.linkOpen' as const);
}

function BatchMark({ checked }: { checked: CheckedBatch | undefined }) {
  const { t } = useLanguage();
  if (checked === undefined) return <Mark tone="plain">{t('proof.unchecked')}</Mark>;
  if (checked.fault !== null) return <Mark tone="bad">{t('proof.batchFails')}</Mark>;
  return <Mark tone="good">{t('proof.batchHolds')}</Mark>;
}
