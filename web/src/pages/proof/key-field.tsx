import { useState } from 'preact/hooks';
import { Field } from '../../components/field.js';
import { useLanguage } from '../../i18n/language.js';
import type { ListedKey } from './check/evidence.js';
import { useChecks } from './use-checks.js';

/** Takes a public key as text. It is never part of the address: whoever sends a link must not choose whom its reader trusts. */
export function KeyField(props: {
  label: string;
  hint: string;
  /** Told the key: undefined while the field is empty, null where what it holds is none that may sign. */
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
