import type { Outbound } from '../outbound/outbound.js';
import type { Clock } from '../ports.js';
import { createHorizonSource } from './horizon.js';
import type { LedgerAnswer } from './ledger-transaction.rules.js';
import { createRpcSource } from './rpc.js';
import { createSourceCalls, type LedgerSourceClient } from './source-calls.js';

/** The Stellar ledger, as the operator's own sources show it. */
export interface Ledger {
  /**
   * Looks a transaction up by its hash, 64 lower-case hex digits. `not_found` only where the sources hold every ledger
   * that closed since `sinceMs`. Never rejects for what a source does.
   */
  find(hash: string, sinceMs: number): Promise<LedgerAnswer>;
  /** Whether no source answers with an up-to-date ledger. */
  isAway(): Promise<boolean>;
}

const defaultTimeoutMs = 5_000;

/** Null where neither address is set. `outbound`: a connector that trusts both origins. */
export function createLedger(deps: {
  rpcUrl: string | undefined;
  horizonUrl: string | undefined;
  outbound: Outbound;
  clock: Clock;
  /** The time limit of one call. */
  timeoutMs?: number;
}): Ledger | null {
  const { rpcUrl, horizonUrl, outbound, clock, timeoutMs = defaultTimeoutMs } = deps;
  const source = (create: typeof createRpcSource, url: string | undefined) => {
    const call = createSourceCalls({ outbound, timeoutMs });
    return url === undefined ? [] : [create({ url, call, clock })];
  };
  const sources = [...source(createRpcSource, rpcUrl), ...source(createHorizonSource, horizonUrl)];
  if (sources.length === 0) return null;
  return {
    find: (hash, sinceMs) => findInAll(sources, hash, sinceMs),
    async isAway() {
      for (const source of sources) if (await source.isWell()) return false;
      return true;
    },
  };
}

/**
 * The first source that has the transaction decides. `not_found` is returned only where no source has it, one holds the
 * whole period, and none failed to answer, since that one may have what the others do not find.
 */
async function findInAll(
  sources: readonly LedgerSourceClient[],
  hash: string,
  sinceMs: number,
): Promise<LedgerAnswer> {
  const answers: LedgerAnswer[] = [];
  for (const source of sources) {
    const answer = await source.find(hash, sinceMs);
    if (answer.kind === 'found') return answer;
    answers.push(answer);
  }
  const failure = answers.find((each) => each.kind === 'unknown' && each.why !== 'out_of_range');
  const missing = answers.find((each) => each.kind === 'not_found');
  const [first = { kind: 'unknown', why: 'unreachable', detail: 'no source' } as const] = answers;
  return failure ?? missing ?? first;
}
