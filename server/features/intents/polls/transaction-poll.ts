import { isRefused } from '../../../../contract/anchor-documents/json.js';
import type { Outbound } from '../../../outbound/outbound.js';
import { faultOfStatus, toUpstreamFault } from '../../../outbound/upstream-fault.js';
import type { Clock } from '../../../ports.js';
import type { AnchorDirectory } from '../../anchors/service.js';
import { readRecord, type TransactionRecord, unreadOf } from '../record/sep-record.rules.js';
import type { Dialect } from '../record/status-table.rules.js';

const timeoutMs = 5_000;
const maxBytes = 64 * 1_024;

/** The members of the anchor directory that a poll needs. */
export type PollDirectory = Pick<AnchorDirectory, 'anchor' | 'endpointsOf' | 'tokenFor' | 'noteUnreadable'>;

export type PollResult =
  | { kind: 'record'; record: TransactionRecord; dialect: Dialect; observedAtMs: number }
  /** The anchor answers, and knows no such transaction. */
  | { kind: 'not_found' }
  /** No answer, or an unreadable one (`answered`); the poll is repeated later, and after the pause that it asks for. */
  | { kind: 'unreachable'; why: string; answered: boolean; pauseMs?: number }
  /** The anchor granted no token, is not in the fleet, or has no server to ask. */
  | { kind: 'not_pollable' };

/**
 * Reads one transaction with the partner token; `dialect` names the server that knew it before. Never throws for what
 * the anchor does.
 */
export type PollTransaction = (
  anchorId: string,
  transactionId: string,
  dialect: Dialect | null,
) => Promise<PollResult>;

export function createTransactionPoll(deps: {
  directory: PollDirectory;
  outbound: Outbound;
  clock: Clock;
}): PollTransaction {
  const { directory, outbound, clock } = deps;

  /** URLs of `GET /transaction` on the servers to ask; only on the one that knows the transaction, once that is known. */
  async function addresses(anchorId: string, transactionId: string, known: Dialect | null) {
    const { transferServerSep24, transferServerSep6 } = await directory.endpointsOf(anchorId);
    const servers = [
      ['sep24', transferServerSep24],
      ['sep6', transferServerSep6],
    ] as const;
    return servers.flatMap(([dialect, server]) => {
      if (server === null || (known !== null && known !== dialect)) return [];
      const url = `${server}/transaction?id=${encodeURIComponent(transactionId)}`;
      const token = directory.tokenFor(anchorId, url);
      return token === undefined ? [] : [{ dialect, url, token }];
    });
  }

  async function ask(
    { dialect, url, token }: { dialect: Dialect; url: string; token: string },
    anchorId: string,
    transactionId: string,
  ): Promise<PollResult> {
    // The answer is at least as new as the moment of asking, which is taken as the time of observation.
    const observedAtMs = clock();
    const answer = await outbound({
      url,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      timeoutMs,
      maxBytes,
      expects: 'json',
    });
    if (answer.status === 404) return { kind: 'not_found' };
    if (answer.status !== 200) {
      const { message, pauseMs } = faultOfStatus(answer, 'transaction', clock());
      return { kind: 'unreachable', why: message, answered: true, pauseMs };
    }
    const record = readRecord(answer.json, dialect);
    const unread = unreadOf(record);
    if (unread !== null) directory.noteUnreadable(anchorId, 'transaction', unread);
    if (isRefused(record)) return { kind: 'unreachable', why: record.refused, answered: true };
    if (record.id !== transactionId) {
      return { kind: 'unreachable', why: 'transaction.id is another one', answered: true };
    }
    return { kind: 'record', record, dialect, observedAtMs };
  }

  return async (anchorId, transactionId, dialect) => {
    if (directory.anchor(anchorId) === undefined) return { kind: 'not_pollable' };
    let last: PollResult = { kind: 'not_pollable' };
    try {
      for (const address of await addresses(anchorId, transactionId, dialect)) {
        const result = await ask(address, anchorId, transactionId).catch(unreachable);
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
