import { type AdminDispute, type ResolveDisputeBody, readRetryAfter } from '@fairlead/contract/client';
import { useState } from 'preact/hooks';
import { failureOf } from '../../data/problem.js';
import { serviceNow } from '../../data/service-clock.js';
import type { Session } from './session.js';
import { isOfAnother, isOvertaken } from './verdict.js';

/** The result of sending a verdict. `overtaken`: another admin had made the opposite decision. */
export type Decision =
  | { state: 'none' }
  | { state: 'sending' }
  | { state: 'decided'; status: 'accepted' | 'rejected'; isOfAnother: boolean }
  | { state: 'overtaken' }
  | { state: 'refused'; code: string; message: string; retryAt: number | undefined }
  | { state: 'lost'; isOffline: boolean };

export function useDecision(
  { client }: Session,
  onDecided: (dispute: AdminDispute) => void,
  onOvertaken: () => void,
) {
  const [decision, setDecision] = useState<Decision>({ state: 'none' });

  const send = async (body: ResolveDisputeBody): Promise<Decision> => {
    try {
      const answer = await client.adminDisputes.resolveDispute({ body });
      if (answer.status === 200) {
        onDecided(answer.body);
        const status = body.action === 'accept' ? 'accepted' : 'rejected';
        return { state: 'decided', status, isOfAnother: isOfAnother(body, answer.body) };
      }
      if (isOvertaken(answer)) {
        onOvertaken();
        return { state: 'overtaken' };
      }
      const { code, message } = answer.body;
      const seconds = readRetryAfter(answer.headers);
      const retryAt = seconds === null ? undefined : serviceNow() + seconds * 1_000;
      return { state: 'refused', code, message, retryAt };
    } catch (error) {
      const failure = failureOf(error, navigator.onLine);
      if (failure === undefined) throw error;
      return { state: 'lost', isOffline: failure.problem.kind === 'offline' };
    }
  };

  const decide = async (body: ResolveDisputeBody) => {
    setDecision({ state: 'sending' });
    setDecision(await send(body));
  };
  return { decision, decide };
}
