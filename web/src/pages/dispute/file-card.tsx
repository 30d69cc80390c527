import type { FileDisputeBody } from '@fairlead/contract/client';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/controls.js';
import { Notice } from '../../components/notice.js';
import { Card } from '../../components/page-parts.js';
import { useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import styles from './dispute.module.css';
import type { Filing } from './use-filing.js';

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

interface Props {
  filing: Filing;
  intentHash: string;
  now: number;
}

/**
 * What became of the dispute that was sent. It takes the focus, since the button that sent it is gone, or was off
 * meanwhile.
 */
export function FilingNotice(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const { state } = props.filing;
  const isAnswered = state !== 'none' && state !== 'sending';
  useEffect(() => {
    if (isAnswered) place.current?.focus();
  }, [isAnswered]);
  return (
    <div ref={place} tabIndex={-1}>
      <Outcome {...props} />
    </div>
  );
}

function Outcome(props: Props) {
  const { t } = useLanguage();
  const { filing, intentHash, now } = props;
  switch (filing.state) {
    case 'none':
    case 'sending':
      return null;
    case 'filed':
      return (
        <Notice tone="good" title={t(filing.isNew ? 'dispute.filed' : 'dispute.filedBefore')}>
          <p>{t(`dispute.filed_${filing.dispute.status}`)}</p>
          <p>
            <code>{filing.dispute.id}</code>
          </p>
          <p>
            <a href={`/offramp/${intentHash}`}>{t('dispute.watch')}</a>
          </p>
        </Notice>
      );
    case 'refused': {
      const { error, retryAt } = filing;
      const code = error.code;
      const text: TextKey = isExplained(code) ? `dispute.refused_${code}` : 'dispute.refusedOther';
      const seconds = retryAt === undefined ? 0 : Math.max(0, Math.ceil((retryAt - now) / 1_000));
      return (
        <Notice tone="bad" title={t('dispute.refused')}>
          <p>{t(text)}</p>
          {seconds > 0 && <p>{t('dispute.againIn', { seconds })}</p>}
          <p>
            <code>{code}</code> {error.message}
          </p>
        </Notice>
      );
    }
    case 'lost':
      return (
        <Notice
          tone="warn"
          title={t(filing.problem.kind === 'offline' ? 'common.problemOffline' : 'common.problemUnreachable')}
        >
          <p>{t('dispute.lost')}</p>
        </Notice>
      );
  }
}

/** The refusals of a dispute that the page explains in its own words. */
const explained = [
  'INVALID_REQUEST',
  'RATE_LIMITED',
  'UNKNOWN_INTENT',
  'SIGNER_NOT_ENTITLED',
  'ANCHOR_MISMATCH',
  'INVALID_SIGNATURE',
  'INTENT_UNRESOLVED',
  'DISPUTE_WINDOW_CLOSED',
  'DISPUTE_EXISTS',
  'NOT_READY',
] as const;

function isExplained(code: string): code is (typeof explained)[number] {
  return (explained as readonly string[]).includes(code);
}
