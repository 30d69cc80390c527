import type { Clock } from '../ports.js';
import { covers, type LedgerAnswer } from './ledger-transaction.rules.js';
import { type CallSource, type LedgerSourceClient, type SourceAnswer, unknown } from './source-calls.js';

/** Stellar RPC. `url` is called as it is. */
export function createRpcSource(deps: { url: string; call: CallSource; clock: Clock }): LedgerSourceClient {
  const { url, call, clock } = deps;

  function ask(method: string, params?: object): Promise<SourceAnswer> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return call({ url, method: 'POST', headers: { 'content-type': 'application/json' }, body });
  }

  async function find(hash: string, sinceMs: number): Promise<LedgerAnswer> {
    // Loaded on first use, so that a service without a ledger does not pay for the decoder.
    const { readRpcTransaction } = await import('./rpc-answer.rules.js');
    const answer = await ask('getTransaction', { hash });
    if ('failed' in answer) return unknown('unreachable', `rpc: ${answer.failed}`);
    const read = readRpcTransaction(answer.json, hash);
    if (read.kind === 'unreadable') return unknown('unreadable', `rpc: ${read.detail}`);
    if (read.kind === 'found') return { ...read, source: 'rpc' };
    if (!covers(read.range, sinceMs, clock())) return unknown('out_of_range', 'rpc: not held that far');
    return { kind: 'not_found', source: 'rpc' };
  }

  return {
    find,
    async isWell() {
      const { saysHealthy } = await import('./rpc-answer.rules.js');
      const health = await ask('getHealth');
      return !('failed' in health) && saysHealthy(health.json);
    },
  };
}
