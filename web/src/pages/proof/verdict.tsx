import { Notice } from '../../components/notice.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import type { Wanted } from './check/evidence.js';
import { type Step, stepIds } from './check/step.js';
import type { TrustedKeys } from './trust.js';

/** The result of a check, and the keys that it relies on. */
export function Verdict(props: {
  steps: readonly Step[];
  isDone: boolean;
  trust: TrustedKeys;
  wanted: Wanted;
}) {
  const { steps, isDone, trust, wanted } = props;
  const { t, locale } = useLanguage();
  const faults = steps.flatMap(({ fault }) => fault ?? []);
  const failed = faults.length;
  const isKeyAlone = failed > 0 && faults.every((fault) => fault === 'not_own_key');
  const open = steps.filter(({ status }) => status === 'open').length;
  if (!isDone)
    return <Notice tone="plain" title={t('proof.checking', { done: steps.length, all: stepIds.length })} />;
  if (isKeyAlone)
    return (
      <Notice tone="bad" title={t('proof.otherKey')}>
        <p>{t('proof.otherKeyWhy')}</p>
      </Notice>
    );
  if (failed > 0)
    return (
      <Notice tone="bad" title={t('proof.refuted', { failed, all: steps.length })}>
        <p>{t('proof.refutedTrue')}</p>
      </Notice>
    );
  const score = steps.at(-1)?.facts.find(({ label }) => label === 'scorePublished')?.value ?? '–';
  return (
    <Notice
      tone={trust.hasUnusable ? 'warn' : 'good'}
      title={t(score === '–' ? 'proof.verifiedNoScore' : 'proof.verified', {
        ...wanted,
        corridor: corridorName(wanted.corridor, locale),
        score,
      })}
    >
      {trust.hasUnusable && <p>{t('proof.keyNotUsed')}</p>}
      <p>
        {t(`proof.restsOn_${trust.source}`)} {open > 0 && t('proof.openSteps', { count: open })}
      </p>
    </Notice>
  );
}
