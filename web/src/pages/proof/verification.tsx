import { useEffect } from 'preact/hooks';
import { AnswerView } from '../../components/answer-view.js';
import { useAnswer } from '../../data/use-answer.js';
import type { Evidence, Wanted } from './check/evidence.js';
import type { Memories } from './memory.js';
import { memoryOf } from './memory-of.js';
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
  const { steps, isDone } = useSteps(evidence, wanted, {
    keys: trust.keys,
    source: trust.source,
    oracle: trust.oracle,
    head: memories.before?.head,
  });
  const hasHeld = isDone && steps.every(({ status }) => status !== 'failed');
  useEffect(() => {
    if (hasHeld) memories.keep(memoryOf(steps, wanted, trust, memories.now));
  }, [hasHeld]);
  return (
    <>
      <Verdict steps={steps} isDone={isDone} trust={trust} wanted={wanted} />
      <Steps steps={steps} />
    </>
  );
}
