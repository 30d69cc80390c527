import {
  type DisputeAnswer,
  type ErrorBody,
  type FileDisputeBody,
  readRetryAfter,
} from '@fairlead/contract/client';
import { useState } from 'preact/hooks';
import { client } from '../../data/client.js';
import { failureOf, type Problem } from '../../data/problem.js';
import { serviceNow } from '../../data/service-clock.js';

/** The state of a dispute that is being filed. */
export type Filing =
  | { state: 'none' }
  | { state: 'sending' }
  | { state: 'filed'; dispute: DisputeAnswer; isNew: boolean }
  | { state: 'refused'; error: ErrorBody; retryAt: number | undefined }
  | { state: 'lost'; problem: Problem };

export function useFiling(onFiled: () => void) {
  const [filing, setFiling] = useState<Filing>({ state: 'none' });
  const file = async (body: FileDisputeBody) => {
    setFiling({ state: 'sending' });
    const outcome = await send(body);
    setFiling(outcome);
    if (outcome.state === 'filed') onFiled();
  };
  return { filing, file, reset: () => setFiling({ state: 'none' }) };
}

async function send(body: FileDisputeBody): Promise<Filing> {
  try {
    const { status, headers, body: answer } = await client.disputes.fileDispute({ body });
    if (status === 200 || status === 201) return { state: 'filed', dispute: answer, isNew: status === 201 };
    const seconds = readRetryAfter(headers);
    const retryAt = seconds === null ? undefined : serviceNow() + seconds * 1_000;
    return { state: 'refused', error: answer, retryAt };
  } catch (error) {
    const failure = failureOf(error, navigator.onLine);
    if (failure === undefined) throw error;
    return { state: 'lost', problem: failure.problem };
  }
}
