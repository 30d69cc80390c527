import type { FileDisputeBody } from '@fairlead/contract/client';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './dispute.module.css';

/** Shows the request as it will be sent, and sends it. */
export function FileCard(props: {
  body: FileDisputeBody;
  isSending: boolean;
  mustWait: boolean;
  onFile: (body: FileDisputeBody) => void;
  onDiscard: () => void;
}) {
  const { t } = useLanguage();
  const { body, isSending, mustWait, onFile, onDiscard } = props;
  const request = useRef<HTMLPreElement>(null);
  // The control that signed is gone, and it had the focus, which moves to the request.
  useEffect(() => request.current?.focus(), []);
  const hasReason = body.reason !== '';
  return (
    <Card title={t('dispute.file')}>
      <p>{t('dispute.fileWhat')}</p>
      <pre class={styles.signed} ref={request} tabIndex={-1}>
        {JSON.stringify(body, null, 2)}
      </pre>
      <p class={styles.soft}>{t('dispute.reasonUnsigned')}</p>
      <div class={styles.buttons}>
        <Button strong disabled={!hasReason || isSending || mustWait} onClick={() => onFile(body)}>
          {t(isSending ? 'dispute.sending' : 'dispute.send')}
        </Button>
        <Button onClick={onDiscard}>{t('dispute.discard')}</Button>
        {!hasReason && <span class={styles.soft}>{t('dispute.reasonMissing')}</span>}
      </div>
    </Card>
  );
}
