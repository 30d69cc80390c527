import type { Clock } from '../ports.js';
import { confirms, covers } from './held-range.rules.js';
import type { LedgerAnswer } from './ledger-transaction.js';
import type { CallSource, SourceAnswer } from './source-calls.js';

/** One source of the ledger. */
export interface LedgerSourceClient {
  /** Asks it for a transaction of this hash that closed at `sinceMs` or later. */
  find(hash: string, sinceMs: number): Promise<LedgerAnswer>;
  /** Whether the source answers and, by its own account, is not behind. */
  isWell(): Promise<boolean>;
}

export function unknown(
  why: Extract<LedgerAnswer, { kind: 'unknown' }>['why'],
  detail: string,
): LedgerAnswer {
  return { kind: 'unknown', why, detail };
}

/** Stellar RPC. `url` is called as it is. */
export function createRpcSource(deps: { url: string; call: CallSource; clock: Clock }): LedgerSourceClient {
  const { url, call, clock } = deps;

  function ask(method: string, params?: object): Promise<SourceAnswer> {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      ...(params === undefined ? {} : { params }),
    });
    return call({ url, method: 'POST', headers: { 'content-type': 'application/json' }, body });
  }

  async function find(hash: string, sinceMs: number): Promise<LedgerAnswer> {
    // Loaded on first use, so that a service without a ledger does not pay for the decoder.
    const { readRpcTransaction, readRpcHealth } = await import('./rpc-answer.rules.js');
    const answer = await ask('getTransaction', { hash });
    if ('failed' in answer) return unknown('unreachable', `rpc: ${answer.failed}`);
    const read = readRpcTransaction(answer.json, hash);
    if (read.kind === 'unreadable') return unknown('unreadable', `rpc: ${read.detail}`);
    if (read.kind === 'found') return { ...read, source: 'rpc' };
    if (!covers(read.range, sinceMs, clock())) return unknown('out_of_range', 'rpc: not held that far');
    // "Not found" may cost an anchor its outcome, so the node is asked for its range a second time, in another way.
    const health = await ask('getHealth');
    if ('failed' in health) return unknown('unreachable', `rpc: ${health.failed}`);
    const healthy = readRpcHealth(health.json);
    if (healthy === null) return unknown('out_of_range', 'rpc: the node is not healthy');
    if (!confirms(healthy, read.range))
      return unknown('out_of_range', 'rpc: contradicts itself about its range');
    return { kind: 'not_found', source: 'rpc' };
  }

  return {
    find,
    async isWell() {
      const { readRpcHealth } = await import('./rpc-answer.rules.js');
      const health = await ask('getHealth');
      return !('failed' in health) && readRpcHealth(health.json) !== null;
    },
  };
}
