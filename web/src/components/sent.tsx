import { type ErrorBody, readRetryAfter } from '@fairlead/contract/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { failureOf } from '../data/problem.js';
import { serviceNow } from '../data/service-clock.js';
import { useNow } from '../data/use-now.js';
import { useLanguage } from '../i18n/language.js';
import { Notice } from './notice.js';
import { Outcome } from './page-parts.js';

/** What became of a request that is sent once, when a person says so. */
export type Sent<T> =
  | { state: 'none' | 'sending' }
  | { state: 'done'; value: T }
  | { state: 'refused'; error: ErrorBody; retryAt: number | undefined }
  /** Whether it arrived is not known. */
  | { state: 'lost'; isOffline: boolean };

interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Sends a request; `read` returns what the answer says, or undefined where it refuses. */
export function useSending<T>() {
  const [sent, setSent] = useState<Sent<T>>({ state: 'none' });
  const send = async <A extends Answer>(call: Promise<A>, read: (answer: A) => T | undefined) => {
    setSent({ state: 'sending' });
    try {
      const answer = await call;
      const value = read(answer);
      const seconds = readRetryAfter(answer.headers);
      const retryAt = seconds === null ? undefined : serviceNow() + seconds * 1_000;
      if (value !== undefined) setSent({ state: 'done', value });
      else setSent({ state: 'refused', error: answer.body as ErrorBody, retryAt });
    } catch (error) {
      const failure = failureOf(error, navigator.onLine);
      if (failure === undefined) throw error;
      setSent({ state: 'lost', isOffline: failure.problem.kind === 'offline' });
    }
  };
  return { sent, send, reset: () => setSent({ state: 'none' }) };
}

/** Says what became of it. */
export function SentNotice<T>(props: {
  sent: Sent<T>;
  /** The title of a refusal, its explanation where there is one, and what to do if it was lost. */
  refused: string;
  explain?: (code: string) => string;
  lost: string;
  children: (value: T) => ComponentChildren;
}) {
  const { sent, refused, explain, lost, children } = props;
  const { t } = useLanguage();
  const now = useNow();
  const seconds = sent.state === 'refused' ? Math.ceil(((sent.retryAt ?? 0) - now) / 1_000) : 0;
  return (
    <Outcome isKnown={sent.state !== 'none' && sent.state !== 'sending'}>
      {sent.state === 'done' && children(sent.value)}
      {sent.state === 'refused' && (
        <Notice tone="bad" title={refused}>
          {explain && <p>{explain(sent.error.code)}</p>}
          {seconds > 0 && <p>{t('dispute.againIn', { seconds })}</p>}
          <p lang="en">
            <code>{sent.error.code}</code> {sent.error.message}
          </p>
        </Notice>
      )}
      {sent.state === 'lost' && (
        <Notice tone="warn" title={t(`common.problem_${sent.isOffline ? 'offline' : 'unreachable'}`)}>
          <p>{lost}</p>
        </Notice>
      )}
    </Outcome>
  );
}
