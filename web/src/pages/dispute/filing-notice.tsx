import { useEffect, useRef } from 'preact/hooks';
import { Notice } from '../../components/notice.js';
import { useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import { isExplained } from './refusals.js';
import type { Filing } from './use-filing.js';

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
