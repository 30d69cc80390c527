import { isRefused } from '../anchor-documents/json.js';
import { type AnchorTransaction, readId, readTransaction } from '../anchor-documents/transaction.js';
import { type Answer, exchange, membersOf, orNull, patiently, refusal } from './exchange.js';
import type { Run } from './options.js';
import { authenticate } from './sep10.js';
import type { OfframpState } from './state.js';

/** Sends a request with the token, which is renewed once if the anchor no longer accepts it. */
async function askAnchor(
  run: Run,
  { anchor, terms }: Pick<OfframpState, 'anchor' | 'terms'>,
  path: string,
  init: RequestInit & { headers?: Record<string, string> } = {},
): Promise<Answer> {
  const ask = () =>
    exchange(run, `${anchor.transferServer}${path}`, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${run.token}` },
    });
  const first = await ask();
  if (first.status !== 401 && first.status !== 403) return first;
  run.token = await authenticate(run, anchor, terms.account);
  return ask();
}

/** Starts a withdrawal; nothing is paid yet, so starting twice is harmless. */
export async function beginWithdrawal(run: Run, state: OfframpState): Promise<{ id: string; url: string }> {
  const { anchor, terms } = state;
  const answer = await patiently(run, 'anchor_unavailable', () =>
    askAnchor(run, state, '/transactions/withdraw/interactive', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        asset_code: anchor.assetCode,
        ...(anchor.assetIssuer === null ? {} : { asset_issuer: anchor.assetIssuer }),
        destination_asset: anchor.destinationAsset,
        amount: terms.sellAmount,
        account: terms.account,
      }),
    }),
  );
  const { id: told, url } = membersOf(answer.text) ?? {};
  const id = readId(told);
  if (answer.status !== 200 && answer.status !== 201) throw refusal(answer);
  if (id === null || typeof url !== 'string') throw refusal(answer);
  return { id, url };
}

type WithWithdrawal = OfframpState & { withdrawal: { id: string } };

const recordPath = ({ withdrawal }: WithWithdrawal) => `/transaction?id=${encodeURIComponent(withdrawal.id)}`;

function recordOf(answer: Answer): AnchorTransaction | null {
  const read = readTransaction(membersOf(answer.text));
  return answer.status === 200 && !isRefused(read) ? read : null;
}

/** The record of the withdrawal. Throws Unavailable if the anchor does not answer, and Stop if its answer has none. */
export async function readRecord(run: Run, state: WithWithdrawal): Promise<AnchorTransaction> {
  const answer = await askAnchor(run, state, recordPath(state));
  const record = recordOf(answer);
  if (record === null) throw refusal(answer);
  return record;
}

/** The record, read without asking the wallet for anything; null if the anchor does not give it. */
export async function peekRecord(
  run: Run,
  state: WithWithdrawal,
): Promise<AnchorTransaction | 'unauthorised' | null> {
  const headers = { authorization: `Bearer ${run.token}` };
  const answer = await orNull(
    exchange(run, `${state.anchor.transferServer}${recordPath(state)}`, { headers }),
  );
  if (answer?.status === 401 || answer?.status === 403) return 'unauthorised';
  return answer === null ? null : recordOf(answer);
}
