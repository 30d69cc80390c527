import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Choice, TextField } from '../../components/controls.js';
import { Copyable } from '../../components/copyable.js';
import { Notice } from '../../components/notice.js';
import { Card, Facts } from '../../components/page-parts.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './dispute.module.css';
import { readSignature, type Signature, type SignerProps } from './signature.js';
import type { Party } from './standing.js';
import { WalletSigner } from './wallet-signer.js';

const ways = { wallet: WalletSigner, pasted: PastedSigner } as const;
const wayNames = ['wallet', 'pasted'] as const;

/** Shows the exact text that is signed, and offers the ways to sign it. */
export function SignCard(props: {
  intentHash: string;
  party: Party;
  signer: string | null | undefined;
  signature: Signature | undefined;
  onSign: (signature: Signature) => void;
}) {
  const { t } = useLanguage();
  const { intentHash, party, signer, signature, onSign } = props;
  const [way, setWay] = useState<keyof typeof ways>('wallet');
  const choice = useRef<HTMLDivElement>(null);
  const wasSigned = useRef(false);
  const isSigned = signature !== undefined;
  useEffect(() => {
    // The button that discarded the signature is gone, and the focus with it.
    if (wasSigned.current && !isSigned) choice.current?.querySelector<HTMLElement>(':checked')?.focus();
    wasSigned.current = isSigned;
  }, [isSigned]);
  const Signer = ways[way];
  return (
    <Card title={t('dispute.sign')}>
      <p>{t('dispute.signWhat')}</p>
      <pre class={styles.signed}>{`Stellar Signed Message:\n${intentHash}`}</pre>
      <Facts
        of={{
          [t('dispute.signer')]: (
            <>
              {t(`dispute.signer_${party}`)}{' '}
              {signer == null ? '…' : <Copyable text={signer} name={t('dispute.signer')} />}
            </>
          ),
        }}
      />
      <p class={styles.soft}>{t('dispute.binds')}</p>
      {signer === null && <Notice tone="bad" title={t('dispute.noSigningKey')} />}
      {signer != null && !isSigned && (
        <>
          <div ref={choice}>
            <Choice
              legend={t('dispute.how')}
              options={wayNames.map((value) => ({ value, label: t(`dispute.way_${value}`) }))}
              value={way}
              onChoose={setWay}
            />
          </div>
          <Signer intentHash={intentHash} signer={signer} onSign={onSign} />
        </>
      )}
      {isSigned && <Notice tone="good" title={t('dispute.isSigned')} />}
    </Card>
  );
}

/** Takes a signature that was made elsewhere: by a program, on a device without a network. */
function PastedSigner({ signer, onSign }: SignerProps) {
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
      <TextField
        label={t('dispute.pasted')}
        hint={t('dispute.pastedHint')}
        error={error}
        isCode
        value={text}
        onType={(typed) => {
          setText(typed);
          setError(undefined);
        }}
      />
      <div class={styles.buttons}>
        <Button strong onClick={take}>
          {t('dispute.take')}
        </Button>
      </div>
    </div>
  );
}
