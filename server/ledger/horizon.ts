import type { Clock } from '../ports.js';
import {
  readHorizonLedger,
  readHorizonPayments,
  readHorizonRoot,
  readHorizonTransaction,
} from './horizon-answer.rules.js';
import { covers, type LedgerAnswer, lagMs } from './ledger-transaction.rules.js';
import { type CallSource, type LedgerSourceClient, type SourceAnswer, unknown } from './source-calls.js';

/** A transaction has 100 operations at most. */
const operationsAtOnce = 200;

/** Horizon. `url` is its root, without a trailing slash. */
export function createHorizonSource(deps: {
  url: string;
  call: CallSource;
  clock: Clock;
}): LedgerSourceClient {
  const { url, call, clock } = deps;
  const get = (path: string): Promise<SourceAnswer> =>
    call({ url: `${url}${path}`, headers: { accept: 'application/json' } });

  /** Whether Horizon holds every ledger since `sinceMs`; a string says why that is not known. */
  async function holdsSince(sinceMs: number): Promise<boolean | string> {
    const rootAnswer = await get('/');
    if ('failed' in rootAnswer) return rootAnswer.failed;
    const root = readHorizonRoot(rootAnswer.json);
    if (root === undefined) return 'not a root resource';
    const elder = await get(`/ledgers/${root.oldestLedger}`);
    if ('failed' in elder) return elder.failed;
    const oldestAtMs = readHorizonLedger(elder.json);
    return oldestAtMs !== undefined && covers({ ...root, oldestAtMs }, sinceMs, clock());
  }

  async function find(hash: string, sinceMs: number): Promise<LedgerAnswer> {
    const answer = await get(`/transactions/${hash}`);
    if ('failed' in answer) return unknown('unreachable', `horizon: ${answer.failed}`);
    if (answer.status === 410) return unknown('out_of_range', 'horizon: before its history');
    if (answer.status === 404) {
      const holds = await holdsSince(sinceMs);
      if (typeof holds === 'string') return unknown('unreachable', `horizon: ${holds}`);
      return holds
        ? { kind: 'not_found', source: 'horizon' }
        : unknown('out_of_range', 'horizon: not held that far');
    }
    const transaction = answer.status === 200 ? readHorizonTransaction(answer.json, hash) : undefined;
    if (transaction === undefined)
      return unknown('unreadable', `horizon: status ${answer.status}, not this transaction`);
    if (!transaction.successful) {
      return { kind: 'found', transaction: { ...transaction, payments: [] }, source: 'horizon' };
    }
    const operations = await get(`/transactions/${hash}/operations?limit=${operationsAtOnce}`);
    if ('failed' in operations) return unknown('unreachable', `horizon: ${operations.failed}`);
    const payments = operations.status === 200 ? readHorizonPayments(operations.json) : undefined;
    if (payments === undefined) return unknown('unreadable', 'horizon: not a page of operations');
    return { kind: 'found', transaction: { ...transaction, payments }, source: 'horizon' };
  }

  return {
    find,
    async isWell() {
      const answer = await get('/');
      const root = 'failed' in answer ? undefined : readHorizonRoot(answer.json);
      return root !== undefined && root.latestAtMs >= clock() - lagMs;
    },
  };
}
