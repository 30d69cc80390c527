import { useEffect, useState } from 'preact/hooks';
import { AnswerView } from '../../components/answer-view.js';
import { Button } from '../../components/button.js';
import { Empty } from '../../components/empty.js';
import { Field } from '../../components/field.js';
import { PageHeading } from '../../components/page-heading.js';
import { useViewPart } from '../../data/use-view-part.js';
import { useLanguage } from '../../i18n/language.js';
import { readIntentHash } from '../offramp/intent-hash.js';
import { useIntent } from '../offramp/use-intent.js';
import styles from './dispute.module.css';
import { DisputeSteps } from './dispute-steps.js';

export function DisputePage() {
  const { t } = useLanguage();
  const [asked, setAsked] = useViewPart('intent', '');
  const intentHash = readIntentHash(asked);
  const answer = useIntent(intentHash);
  const { problem, value } = answer;
  const isUnknown = problem?.kind === 'refused' && problem.body.code === 'UNKNOWN_INTENT';
  return (
    <div class={styles.page}>
      <PageHeading title={t('dispute.title')}>{t('dispute.lead')}</PageHeading>
      <IntentField asked={asked} onAsk={setAsked} />
      {isUnknown && value === undefined ? (
        <Empty title={t('offramp.unknown')}>
          <p>{t('offramp.unknownWhy')}</p>
        </Empty>
      ) : (
        intentHash !== undefined && (
          <AnswerView answer={answer}>
            {(intent) => <DisputeSteps key={intentHash} intent={intent} onFiled={answer.ask} />}
          </AnswerView>
        )
      )}
    </div>
  );
}

function IntentField({ asked, onAsk }: { asked: string; onAsk: (intentHash: string) => void }) {
  const { t } = useLanguage();
  const [text, setText] = useState(asked);
  const [isWrong, setIsWrong] = useState(false);
  // When the address changes, the form remains, and so does the focus of a reader who has just submitted it.
  useEffect(() => {
    setText(asked);
    setIsWrong(asked !== '' && readIntentHash(asked) === undefined);
  }, [asked]);
  const submit = (event: Event) => {
    event.preventDefault();
    const intentHash = readIntentHash(text);
    setIsWrong(intentHash === undefined);
    if (intentHash !== undefined) onAsk(intentHash);
  };
  return (
    <form class={styles.ask} onSubmit={submit} noValidate>
      <Field
        label={t('offramp.hash')}
        hint={t('dispute.hashHint')}
        error={isWrong ? t('offramp.hashWrong') : undefined}
      >
        {(ids) => (
          <input
            {...ids}
            class={styles.mono}
            type="text"
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setIsWrong(false);
            }}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        )}
      </Field>
      <Button type="submit">{t('dispute.open')}</Button>
    </form>
  );
}
