import { useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { useEmptiedOnLeaving } from '../../components/emptied-on-leaving.js';
import { Field } from '../../components/field.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './dispute.module.css';
import { readSecretKey } from './secret-key.js';
import { readSignature } from './signature.js';
import type { SignerProps } from './signer-props.js';

/**
 * Signs in the page with a secret key that the reader types. The key is in the control alone until it is read there, and
 * the control is emptied before anything else is done with it; no state of the page, address or store ever holds it.
 */
export function KeySigner({ intentHash, signer, onSign }: SignerProps) {
  const { t } = useLanguage();
  const control = useRef<HTMLInputElement>(null);
  useEmptiedOnLeaving(control);
  const [error, setError] = useState<string>();
  const sign = async () => {
    const typed = control.current?.value ?? '';
    if (control.current !== null) control.current.value = '';
    const secretKey = readSecretKey(typed);
    if (typeof secretKey === 'object') return setError(t(`dispute.key_${secretKey.lack}`));
    const code = await import('./sign.js').catch(() => undefined);
    if (code === undefined) return setError(t('dispute.keyNotLoaded'));
    const made = code.signWithKey(intentHash, secretKey);
    if (made === undefined) setError(t('dispute.keyWrong'));
    else if (made.publicKey !== signer) setError(t('dispute.keyOther', { address: made.publicKey }));
    else onSign(made);
  };
  return (
    <div class={styles.signer}>
      <p>{t('dispute.keyCare')}</p>
      <Field label={t('dispute.key')} hint={t('dispute.keyHint')} error={error}>
        {(ids) => (
          <input
            {...ids}
            ref={control}
            class={styles.mono}
            type="password"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            onInput={() => setError(undefined)}
            onKeyDown={(event) => event.key === 'Enter' && void sign()}
          />
        )}
      </Field>
      <div class={styles.buttons}>
        <Button strong onClick={() => void sign()}>
          {t('dispute.signNow')}
        </Button>
      </div>
    </div>
  );
}

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
