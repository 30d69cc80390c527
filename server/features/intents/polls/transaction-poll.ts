import { isRefused } from '../../../../contract/anchor-documents/json.js';
import type { Outbound } from '../../../outbound/outbound.js';
import { faultOfStatus, toUpstreamFault } from '../../../outbound/upstream-fault.js';
import type { Clock } from '../../../ports.js';
import type { AnchorDirectory } from '../../anchors/service.js';
import { readRecord, type TransactionRecord, unreadOf } from '../record/sep-record.rules.js';

const timeoutMs = 5_000;
const maxBytes = 64 * 1_024;

export type PollResult =
  | { kind: 'record'; record: TransactionRecord; observedAtMs: number }
  /** The anchor answers, and knows no such transaction. */
  | { kind: 'not_found' }
  /** No answer, or an unreadable one (`answered`); the poll is repeated later, and after the pause that it asks for. */
  | { kind: 'unreachable'; why: string; answered: boolean; pauseMs?: number }
  /** The anchor granted no token, is not in the fleet, or has no server to ask. */
  | { kind: 'not_pollable' };

/** Reads one transaction with the partner token. Never throws for what the anchor does. */
export type PollTransaction = (anchorId: string, transactionId: string) => Promise<PollResult>;

export function createTransactionPoll(deps: {
  directory: Pick<AnchorDirectory, 'anchor' | 'endpointsOf' | 'tokenFor' | 'noteUnreadable'>;
  outbound: Outbound;
  clock: Clock;
}): PollTransaction {
  const { directory, outbound, clock } = deps;

  /** The URLs of `GET /transaction`: hosted and programmatic withdrawals may lie on two servers. */
  async function addresses(anchorId: string, transactionId: string) {
    const { transferServerSep24, transferServerSep6 } = await directory.endpointsOf(anchorId);
    return [transferServerSep24, transferServerSep6].flatMap((server) => {
      const url = `${server}/transaction?id=${encodeURIComponent(transactionId)}`;
      const token = server === null ? undefined : directory.tokenFor(anchorId, url);
      return token === undefined ? [] : [{ url, token }];
    });
  }

  async function ask(
    url: string,
    token: string,
    anchorId: string,
    transactionId: string,
  ): Promise<PollResult> {
    // The answer is at least as new as the moment of asking, which is taken as the time of observation.
    const observedAtMs = clock();
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
    const answer = await outbound({ url, headers, timeoutMs, maxBytes, expects: 'json' });
    if (answer.status === 404) return { kind: 'not_found' };
    if (answer.status !== 200) {
      const { message: why, pauseMs } = faultOfStatus(answer, 'transaction', clock());
      return { kind: 'unreachable', why, answered: true, pauseMs };
    }
    const record = readRecord(answer.json);
    const unread = unreadOf(record);
    if (unread !== null) directory.noteUnreadable(anchorId, 'transaction', unread);
    if (isRefused(record)) return { kind: 'unreachable', why: record.refused, answered: true };
    if (record.id !== transactionId)
      return { kind: 'unreachable', why: 'transaction.id is another one', answered: true };
    return { kind: 'record', record, observedAtMs };
  }

  return async (anchorId, transactionId) => {
    if (directory.anchor(anchorId) === undefined) return { kind: 'not_pollable' };
    let last: PollResult = { kind: 'not_pollable' };
    try {
      for (const { url, token } of await addresses(anchorId, transactionId)) {
        const result = await ask(url, token, anchorId, transactionId).catch(unreachable);
        if (result.kind === 'record') return result;
        // A server that did not answer may be the one that knows it.
        if (last.kind !== 'unreachable') last = result;
      }
      return last;
    } catch (error) {
      return unreachable(error);
    }
  };
}

/** Failures of the anchor or of the way to it; any other error is our own and is thrown on. */
function unreachable(error: unknown): PollResult {
  return { kind: 'unreachable', why: toUpstreamFault(error).message, answered: false };
}
