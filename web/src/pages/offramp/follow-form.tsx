import { useState } from 'preact/hooks';
import { Button, Field } from '../../components/controls.js';
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
      <Field
        label={t('offramp.hash')}
        hint={t('offramp.hashHint')}
        error={isWrong ? t('offramp.hashWrong') : undefined}
      >
        {(ids) => (
          <input
            {...ids}
            class={styles.hash}
            type="text"
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setIsWrong(false);
            }}
            placeholder="b31e280fd02af20e…"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        )}
      </Field>
      <Button type="submit" strong>
        {label}
      </Button>
    </form>
  );
}
