import { useState } from 'preact/hooks';
import { Field } from '../../components/field.js';
import { useLanguage } from '../../i18n/language.js';
import type { ListedKey } from './check/evidence.js';
import { useChecks } from './use-checks.js';

/** Takes a public key as text. It is never part of the address: the sender of a link must not choose the trusted key. */
export function KeyField(props: {
  label: string;
  hint: string;
  /** Receives the key: undefined if the field is empty, null if its text is not a key that may sign. */
  onKey: (key: ListedKey | null | undefined) => void;
}) {
  const { label, hint, onKey } = props;
  const { t } = useLanguage();
  const checks = useChecks();
  const [text, setText] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  return (
    <Field label={label} hint={hint} error={isWrong ? t('proof.noKey') : undefined}>
      {(ids) => (
        <input
          {...ids}
          value={text}
          disabled={checks === undefined}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder="G…"
          onInput={(event) => {
            const typed = event.currentTarget.value;
            const key = checks?.readKey(typed.trim());
            const isUnusable = typed.trim() !== '' && key === undefined;
            setText(typed);
            setIsWrong(isUnusable);
            onKey(isUnusable ? null : key);
          }}
        />
      )}
    </Field>
  );
}
