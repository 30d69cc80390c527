import { useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { Field } from '../../components/field.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './dispute.module.css';
import { readSignature } from './signature.js';
import type { SignerProps } from './signer-props.js';

/** Takes a signature that was made elsewhere: by a program, on a device without a network. */
export function PastedSigner({ signer, onSign }: SignerProps) {
  const { t } = useLanguage();
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const take = () => {
    const signature = readSignature(text);
    if (signature === undefined) setError(t('dispute.pastedWrong'));
    else onSign({ publicKey: signer, signature });
  };
  return (
    <div class={styles.signer}>
      <p>{t('dispute.pastedHow')}</p>
      <Field label={t('dispute.pasted')} hint={t('dispute.pastedHint')} error={error}>
        {(ids) => (
          <input
            {...ids}
            class={styles.mono}
            type="text"
            value={text}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setError(undefined);
            }}
          />
        )}
      </Field>
      <div class={styles.buttons}>
        <Button strong onClick={take}>
          {t('dispute.take')}
        </Button>
      </div>
    </div>
  );
}
