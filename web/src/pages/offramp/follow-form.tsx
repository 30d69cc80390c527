import type { IntentAnswer } from '@fairlead/contract/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { AnswerView } from '../../components/answer-view.js';
import { Button, TextField } from '../../components/controls.js';
import { Empty } from '../../components/notice.js';
import type { Answered } from '../../data/use-answer.js';
import { useLanguage } from '../../i18n/language.js';
import { readIntentHash } from './intent-hash.js';
import styles from './offramp.module.css';

/** Takes the hash of an intent, alone or in an address. */
export function FollowForm(props: { first: string; label: string; onFollow: (intentHash: string) => void }) {
  const { first, label, onFollow } = props;
  const { t } = useLanguage();
  const [text, setText] = useState(first);
  const [isWrong, setIsWrong] = useState(first !== '' && readIntentHash(first) === undefined);
  const follow = (event: Event) => {
    event.preventDefault();
    const intentHash = readIntentHash(text);
    setIsWrong(intentHash === undefined);
    if (intentHash !== undefined) onFollow(intentHash);
  };
  return (
    <form class={styles.form} onSubmit={follow} noValidate>
      <TextField
        label={t('offramp.hash')}
        hint={t('offramp.hashHint')}
        error={isWrong ? t('offramp.hashWrong') : undefined}
        isCode
        value={text}
        placeholder="b31e280fd02af20e…"
        onType={(typed) => {
          setText(typed);
          setIsWrong(false);
        }}
      />
      <Button type="submit" strong>
        {label}
      </Button>
    </form>
  );
}

/** An intent that was asked for, or that there is none of this hash. */
export function IntentView(props: {
  answer: Answered<IntentAnswer>;
  children: (intent: IntentAnswer) => ComponentChildren;
}) {
  const { answer, children } = props;
  const { t } = useLanguage();
  const { problem, value } = answer;
  const isUnknown = problem?.kind === 'refused' && problem.body.code === 'UNKNOWN_INTENT';
  if (isUnknown && value === undefined)
    return (
      <Empty title={t('offramp.unknown')}>
        <p>{t('offramp.unknownWhy')}</p>
      </Empty>
    );
  return (
    <AnswerView answer={answer} lines={8}>
      {children}
    </AnswerView>
  );
}
