import { useEffect, useMemo } from 'preact/hooks';
import { AnswerView } from '../../components/answer-view.js';
import { Field } from '../../components/field.js';
import { Notice } from '../../components/notice.js';
import { useAnswer } from '../../data/use-answer.js';
import { useViewPart } from '../../data/use-view-part.js';
import { useLanguage } from '../../i18n/language.js';
import { type Change, changeByte, type Place, places, placesIn } from './check/change-byte.js';
import type { Evidence, Wanted } from './check/evidence.js';
import type { Memories } from './memory.js';
import { memoryOf } from './memory-of.js';
import styles from './proof.module.css';
import { evidence } from './questions.js';
import { Steps } from './steps.js';
import type { TrustedKeys } from './trust.js';
import { useSteps } from './use-steps.js';
import { Verdict } from './verdict.js';

interface Props {
  wanted: Wanted;
  trust: TrustedKeys;
  memories: Memories;
}

/** Fetches what proves one score, and checks it. */
export function Verification(props: Props) {
  const answer = useAnswer(evidence(props.wanted, props.memories.before?.head.sequence));
  return (
    <AnswerView answer={answer} lines={4}>
      {(value) => <Checked {...props} evidence={value} />}
    </AnswerView>
  );
}

function Checked(props: Props & { evidence: Evidence }) {
  const { wanted, trust, memories, evidence } = props;
  const { t } = useLanguage();
  const [place, setPlace] = useViewPart('byte', '');
  const offered = useMemo(() => placesIn(evidence.proof), [evidence]);
  const changed = useMemo(
    () => (isPlace(place) ? changeByte(evidence.proof, place) : undefined),
    [evidence, place],
  );
  const checked = useMemo(
    () => (changed === undefined ? evidence : { ...evidence, proof: changed.changed }),
    [evidence, changed],
  );
  const { steps, isDone } = useSteps(checked, wanted, {
    keys: trust.keys,
    source: trust.source,
    oracle: trust.oracle,
    head: memories.before?.head,
  });

  const hasHeld = isDone && changed === undefined && steps.every(({ status }) => status !== 'failed');
  useEffect(() => {
    if (hasHeld) memories.keep(memoryOf(steps, wanted, trust, memories.now));
  }, [hasHeld]);

  return (
    <>
      <Verdict
        steps={steps}
        isDone={isDone}
        isChanged={changed !== undefined}
        trust={trust}
        wanted={wanted}
      />
      <div class={styles.switch}>
        <Field label={t('proof.change')} hint={t('proof.changeHint')}>
          {(ids) => (
            <select
              {...ids}
              value={isPlace(place) ? place : ''}
              onChange={(event) => setPlace(event.currentTarget.value)}
            >
              <option value="">{t('proof.changeNone')}</option>
              {offered.map((each) => (
                <option key={each} value={each}>
                  {t(`proof.place_${each}`)}
                </option>
              ))}
            </select>
          )}
        </Field>
        {changed !== undefined && isPlace(place) && (
          <Notice tone="warn" title={t('proof.changed', { place: t(`proof.place_${place}`) })}>
            <ChangeShown change={changed.change} />
          </Notice>
        )}
      </div>
      <Steps steps={steps} />
    </>
  );
}

function ChangeShown({ change: { before, after, at } }: { change: Change }) {
  const from = Math.max(0, at - 15);
  const lead = from > 0 ? '…' : '';
  return (
    <p class={styles.change}>
      <code>
        {lead}
        {before.slice(from, at)}
        <del>{before.charAt(at)}</del>
        {before.slice(at + 1)}
      </code>
      <span aria-hidden="true">→</span>
      <code>
        {lead}
        {after.slice(from, at)}
        <ins>{after.charAt(at)}</ins>
        {after.slice(at + 1)}
      </code>
    </p>
  );
}

/** The address may name any. */
function isPlace(text: string): text is Place {
  return places.some((place) => place === text);
}
