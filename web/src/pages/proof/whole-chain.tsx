import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/notice.js';
import { failureOf } from '../../data/problem.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './chain.module.css';
import type { Fault } from './check/step.js';
import { allBatches } from './questions.js';
import type { Memory, TrustedKeys } from './trust.js';
import { type Checks, useChecks } from './use-checks.js';

type Progress =
  | { state: 'idle' }
  | { state: 'running' | 'held' | 'stopped' | 'unanswered'; count: number }
  | { state: 'refuted'; sequence: number; fault: Fault | null };

/** Checks every batch since the first, page by page: a reader need not trust that the pages not displayed are sound. */
export function WholeChain(props: {
  trust: TrustedKeys;
  latest: number;
  /** The batch that an earlier check verified: the chain must contain it. */
  head: Memory['head'] | undefined;
}) {
  const { trust, latest, head } = props;
  const { t } = useLanguage();
  const checks = useChecks();
  const [progress, setProgress] = useState<Progress>({ state: 'idle' });
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function run({ createChainCheck }: Checks): Promise<void> {
    const controller = new AbortController();
    running.current = controller;
    const check = createChainCheck(trust);
    let count = 0;
    const refuted = (fault: Fault | null) => setProgress({ state: 'refuted', sequence: count + 1, fault });
    setProgress({ state: 'running', count });
    try {
      for await (const batch of allBatches(controller.signal)) {
        const { sequence, headerHash, fault } = check(batch);
        const isOther = head?.sequence === sequence && head.headerHash !== headerHash;
        if (fault !== null || isOther || sequence !== count + 1)
          return refuted(fault ?? (isOther ? 'rewritten' : null));
        count += 1;
        if (count % 20 > 0) continue;
        setProgress({ state: 'running', count });
        await new Promise((resolve) => setTimeout(resolve));
      }
    } catch (error) {
      if (!controller.signal.aborted && failureOf(error, navigator.onLine) === undefined) throw error;
      return setProgress({ state: controller.signal.aborted ? 'stopped' : 'unanswered', count });
    }
    if (count < Math.max(latest, head?.sequence ?? 0)) return refuted('missing');
    setProgress({ state: 'held', count });
  }

  return (
    <div class={styles.wholeChain}>
      <p>{t('proof.wholeLead', { count: latest })}</p>
      {progress.state === 'running' ? (
        <Button onClick={() => running.current?.abort()}>{t('proof.stop')}</Button>
      ) : (
        <Button disabled={checks === undefined} onClick={() => checks !== undefined && void run(checks)}>
          {t('proof.wholeStart')}
        </Button>
      )}
      {progress.state !== 'idle' && <Outcome progress={progress} latest={latest} />}
    </div>
  );
}

function Outcome(props: { progress: Exclude<Progress, { state: 'idle' }>; latest: number }) {
  const { progress, latest } = props;
  const { t } = useLanguage();
  // The publisher may have changed its key, which breaks nothing.
  if (progress.state === 'refuted' && progress.fault === 'not_own_key')
    return (
      <Notice tone="warn" title={t('proof.whole_otherKey', { sequence: progress.sequence })}>
        <p>{t('proof.wholeOtherKeyWhy')}</p>
      </Notice>
    );
  if (progress.state === 'refuted')
    return (
      <Notice tone="bad" title={t('proof.whole_refuted', { sequence: progress.sequence })}>
        {progress.fault !== null && <p>{t(`proof.fault_${progress.fault}`)}</p>}
      </Notice>
    );
  const { state, count } = progress;
  const tone = state === 'held' ? 'good' : state === 'running' ? 'plain' : 'warn';
  return <Notice tone={tone} title={t(`proof.whole_${state}`, { count, all: latest })} />;
}
