import type { DisputeAnswer, FileDisputeBody } from '@fairlead/contract/client';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/controls.js';
import { Notice } from '../../components/notice.js';
import { Card } from '../../components/page-parts.js';
import { type Sent, SentNotice } from '../../components/sent.js';
import { useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import styles from './dispute.module.css';

/** A dispute as the service has it; `isNew`: it had not been filed before. */
export interface Filed {
  dispute: DisputeAnswer;
  isNew: boolean;
}

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

/** What became of the dispute that was sent. */
export function FilingNotice({ filing, intentHash }: { filing: Sent<Filed>; intentHash: string }) {
  const { t } = useLanguage();
  return (
    <SentNotice
      sent={filing}
      refused={t('dispute.refused')}
      explain={(code) => t(`dispute.refused_${code}` as TextKey)}
      lost={t('dispute.lost')}
    >
      {({ dispute, isNew }) => (
        <Notice tone="good" title={t(isNew ? 'dispute.filed' : 'dispute.filedBefore')}>
          <p>{t(`dispute.filed_${dispute.status}`)}</p>
          <p>
            <code>{dispute.id}</code>
          </p>
          <p>
            <a href={`/offramp/${intentHash}`}>{t('dispute.watch')}</a>
          </p>
        </Notice>
      )}
    </SentNotice>
  );
}
