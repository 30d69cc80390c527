import { useEffect, useMemo } from 'preact/hooks';
import { AnswerView } from '../../components/answer-view.js';
import { Notice } from '../../components/notice.js';
import { useAnswer } from '../../data/use-answer.js';
import { corridorName } from '../../figures/corridor-name.js';
import { type Language, useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import { type Memory, memoryOf } from './memory.js';
import styles from './proof.module.css';
import { type Checks, evidence } from './questions.js';
import type { Evidence, Step, Trust, Wanted } from './step.js';

interface Props {
  wanted: Wanted;
  /** The anchor's name. */
  name: string;
  trust: Trust;
  hasUnusable: boolean;
  checks: Checks;
  keep: (memory: Memory) => void;
}

/** Fetches what proves one score and checks it: the result in a sentence and a picture, its steps behind it. */
export function Verification(props: Props) {
  const answer = useAnswer(evidence(props.wanted, props.trust.head?.sequence));
  return (
    <AnswerView answer={answer} lines={4}>
      {(value) => <Checked {...props} evidence={value} />}
    </AnswerView>
  );
}

function Checked(props: Props & { evidence: Evidence }) {
  const { wanted, trust, checks, evidence, keep } = props;
  const { t } = useLanguage();
  const steps = useMemo(
    () => [...checks.checkScore(evidence, wanted, trust)],
    [checks, evidence, JSON.stringify([wanted, trust])],
  );
  const hasHeld = steps.every(({ status }) => status !== 'failed');
  useEffect(() => {
    if (hasHeld) keep(memoryOf(steps, wanted, trust));
  }, [hasHeld]);
  return (
    <>
      <Verdict {...props} steps={steps} />
      <div class={styles.picture} aria-hidden="true">
        {steps.map(({ id, status }) => (
          <span key={id} class={styles[status]} />
        ))}
      </div>
      <details open={!hasHeld}>
        <summary>{t('proof.steps', { count: steps.length })}</summary>
        <Steps steps={steps} />
      </details>
    </>
  );
}

function Verdict(props: Props & { steps: readonly Step[] }) {
  const { steps, hasUnusable, trust, wanted, name } = props;
  const { t, locale, formats } = useLanguage();
  const failed = steps.filter(({ status }) => status === 'failed');
  const open = steps.filter(({ status }) => status === 'open').length;
  if (failed.length > 0) {
    const isKeyAlone = failed.every(({ why }) => why === 'not_own_key');
    const title = isKeyAlone
      ? t('proof.otherKey')
      : t('proof.refuted', { failed: failed.length, all: steps.length });
    return (
      <Notice tone="bad" title={title}>
        <p>{t(isKeyAlone ? 'proof.otherKeyWhy' : 'proof.refutedTrue')}</p>
      </Notice>
    );
  }
  const score = steps.at(-1)?.facts.find(({ label }) => label === 'scorePublished')?.value ?? '–';
  const corridor = corridorName(wanted.corridor, locale);
  return (
    <Notice
      tone={hasUnusable ? 'warn' : 'good'}
      title={t(score === '–' ? 'proof.verifiedNoScore' : 'proof.verified', {
        anchor: name,
        sequence: wanted.sequence,
        corridor,
        score: score === '–' ? score : formats.points(score),
      })}
    >
      {hasUnusable && <p>{t('proof.keyNotUsed')}</p>}
      <p>
        {t(`proof.restsOn_${trust.source}`)} {open > 0 && t('proof.openSteps', { count: open })}
      </p>
    </Notice>
  );
}

/** The steps of a check in their order: what was compared, in words, with what it read and computed. */
function Steps({ steps }: { steps: readonly Step[] }) {
  const language = useLanguage();
  const { t } = language;
  return (
    <ol class={styles.steps}>
      {steps.map((step) => (
        <li key={step.id}>
          <h3>
            {t(`proof.step_${step.id}`)} <span class={styles[step.status]}>{t(`proof.${step.status}`)}</span>
          </h3>
          <p>{sentenceOf(step, language)}</p>
          {step.facts.length > 0 && (
            <details open={step.status === 'failed'}>
              <summary>{t('proof.facts')}</summary>
              <dl class={styles.facts}>
                {step.facts.map(({ label, value }) => (
                  <div key={label}>
                    <dt>{t(`proof.fact_${label}` as TextKey)}</dt>
                    <dd>
                      <code>{value}</code>
                    </dd>
                  </div>
                ))}
              </dl>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}

function sentenceOf({ id, status, why, facts }: Step, { t }: Language): string {
  if (why !== undefined) return t(`proof.${status === 'failed' ? 'fault' : 'opening'}_${why}` as TextKey);
  // The first batch names none before it.
  if (id === 'chain' && facts.length === 0) return t('proof.held_first');
  return t(
    `proof.held_${id}`,
    Object.fromEntries(facts.map(({ label, value }) => [label, shortened(value)])),
  );
}

function shortened(value: string): string {
  return value.length > 24 ? `${value.slice(0, 8)}…${value.slice(-8)}` : value;
}
