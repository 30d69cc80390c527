import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../components/controls.js';
import { Notice } from '../../components/notice.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './dispute.module.css';
import type { SignerProps } from './signature.js';
import type { Signed, Wallet } from './wallets.js';

/** `notLoaded`: the code that talks to wallets could not be loaded. */
type Failed = Exclude<Signed, { kind: 'signed' }> | { kind: 'notLoaded' };

/** Has a wallet extension sign; the key stays in the wallet. */
export function WalletSigner({ intentHash, signer, onSign }: SignerProps) {
  const { t } = useLanguage();
  const [wallets, setWallets] = useState<Wallet[]>();
  const [failed, setFailed] = useState<Failed>();
  const [isAsking, setIsAsking] = useState(false);
  useEffect(() => {
    let isShown = true;
    void import('./wallets.js')
      .then(({ findWallets }) => findWallets())
      .then((found) => isShown && setWallets(found))
      .catch(() => isShown && setFailed({ kind: 'notLoaded' }));
    return () => {
      isShown = false;
    };
  }, []);
  const sign = async (wallet: Wallet) => {
    setFailed(undefined);
    setIsAsking(true);
    const signed = await import('./wallets.js').then(
      ({ signWithWallet }) => signWithWallet(wallet, intentHash, signer),
      () => ({ kind: 'notLoaded' }) as const,
    );
    setIsAsking(false);
    if (signed.kind === 'signed') onSign({ publicKey: signer, signature: signed.signature });
    else setFailed(signed);
  };
  return (
    <div class={styles.signer}>
      {failed?.kind !== 'notLoaded' && (
        <p role="status">
          {wallets === undefined
            ? t('dispute.walletSearch')
            : t('dispute.walletsFound', { count: wallets.length })}
        </p>
      )}
      <div class={styles.buttons}>
        {wallets?.map((wallet) => (
          <Button key={wallet.name} strong disabled={isAsking} onClick={() => void sign(wallet)}>
            {t('dispute.walletSign', { wallet: wallet.name })}
          </Button>
        ))}
      </div>
      {failed !== undefined && (
        <Notice tone="bad" title={t(`dispute.wallet_${failed.kind}`)}>
          {failed.kind === 'otherKey' && <p>{t('dispute.keyOther', { address: failed.address })}</p>}
          {failed.kind === 'failed' && failed.message !== '' && <p>{failed.message}</p>}
        </Notice>
      )}
    </div>
  );
}
