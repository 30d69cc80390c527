import type { PublishedBatch, PublisherHealth } from '@fairlead/contract/client';
import { useMemo, useRef } from 'preact/hooks';
import { AnswerView } from '../../components/answer-view.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Empty } from '../../components/empty.js';
import { FocusGroup } from '../../components/focus-group.js';
import { useAnswer } from '../../data/use-answer.js';
import { useViewPart } from '../../data/use-view-part.js';
import { useLanguage } from '../../i18n/language.js';
import { BatchItem } from './batch-item.js';
import styles from './chain.module.css';
import type { CheckedBatch } from './check/index.js';
import { batches, pageSize } from './questions.js';
import type { Memory, TrustedKeys } from './trust.js';
import { useChecks } from './use-checks.js';
import { WholeChain } from './whole-chain.js';

/** The batches, newest first, each joined to the one before it by a link that is checked here. */
export function ChainCard(props: {
  health: PublisherHealth;
  trust: TrustedKeys;
  head: Memory['head'] | undefined;
}) {
  const { health, trust, head } = props;
  const { t } = useLanguage();
  const [from, setFrom] = useViewPart('from', '');
  const start = /^[1-9]\d{0,14}$/.test(from) ? from : '';
  const answer = useAnswer(health.latest === null ? undefined : batches(start));
  const latest = health.latest?.sequence ?? 0;
  const list = useRef<HTMLDivElement>(null);
  if (latest === 0) return null;
  const newer = Number(start) + pageSize;
  const turnTo = (sequence: string) => {
    setFrom(sequence);
    // The button goes with the page that it belongs to.
    list.current?.focus({ preventScroll: true });
  };
  return (
    <Card title={t('proof.chain')}>
      <p class={styles.lead}>{t('proof.chainLead')}</p>
      <FocusGroup at={list}>
        <AnswerView answer={answer} lines={pageSize}>
          {(items) => (
            <>
              <Page items={items} trust={trust} />
              {items.length === 0 && <Empty title={t('proof.noSuchBatch')} />}
              <nav class={styles.pages} aria-label={t('proof.chainPages')}>
                <Button
                  disabled={start === '' || Number(start) >= latest}
                  onClick={() => turnTo(newer >= latest ? '' : String(newer))}
                >
                  {t('proof.newer')}
                </Button>
                <Button
                  disabled={items.length <= pageSize}
                  onClick={() => turnTo(String(items[pageSize]?.header.sequence ?? ''))}
                >
                  {t('proof.older')}
                </Button>
              </nav>
            </>
          )}
        </AnswerView>
      </FocusGroup>
      {/* What came of a check rests on these. */}
      <WholeChain
        key={JSON.stringify([trust.keys, trust.source, trust.oracle])}
        trust={trust}
        latest={latest}
        head={head}
      />
    </Card>
  );
}

function Page({ items, trust }: { items: readonly PublishedBatch[]; trust: TrustedKeys }) {
  const checks = useChecks();
  const checked: CheckedBatch[] = useMemo(
    () => checks?.checkChain([...items].reverse(), trust).reverse() ?? [],
    [checks, items, JSON.stringify(trust)],
  );
  return (
    <ol class={styles.chain} reversed>
      {items.slice(0, pageSize).map((batch, index) => (
        <BatchItem key={batch.header.sequence} batch={batch} checked={checked[index]} />
      ))}
    </ol>
  );
}
