import type { Clock } from '../../server/ports.js';
import {
  type AnyTransaction,
  baseAccount,
  type Entry,
  encodedResult,
  innerOf,
  type Rejection,
  transfersOf,
} from './entries.js';

/** What each account has: nobody has to fund simulated wallets, and nobody's money runs out. */
const balance = 1_000_000;
/** The most that is kept. */
const keptLimit = 20_000;

/** The transactions of the simulated ledger. A ledger closes every `closeMs`; its number follows from the clock alone. */
export type Book = ReturnType<typeof createBook>;

export function createBook({ clock, closeMs }: { clock: Clock; closeMs: number }) {
  /** By ledger. */
  const entries: Entry[] = [];
  const byHash = new Map<string, Entry>();
  const isClosed = ({ closedAtMs }: Entry) => closedAtMs <= clock();
  const hashesOf = ({ hash, innerHash }: Entry) => (innerHash === null ? [hash] : [hash, innerHash]);
  const next = () => Math.floor(clock() / closeMs) + 1;

  /** The sequence number of the last of these that an account (`G…`) has sent; 0 where there is none. */
  function lastSequence(account: string, which: (entry: Entry) => boolean): string {
    const isOwn = ({ transaction }: Entry) => baseAccount(innerOf(transaction).source) === account;
    const last = entries.findLast((entry) => which(entry) && isOwn(entry));
    return last === undefined ? '0' : innerOf(last.transaction).sequence;
  }

  return {
    /** Adds a transaction to the ledger that closes next, unless it is already there. Returns its entry. */
    submit(transaction: AnyTransaction): Entry {
      const hash = transaction.hash().toString('hex');
      const known = byHash.get(hash);
      if (known !== undefined) return known;
      const [ledger, last] = [next(), entries.at(-1)];
      const inner = innerOf(transaction).hash().toString('hex');
      const transfers = transfersOf(transaction);
      const successful = transfers.every(({ amount }) => Number(amount) <= balance);
      const entry: Entry = {
        hash,
        innerHash: inner === hash ? null : inner,
        ledger,
        order: last?.ledger === ledger ? last.order + 1 : 1,
        closedAtMs: ledger * closeMs,
        successful,
        transaction,
        transfers,
        result: encodedResult(transaction, successful),
      };
      entries.push(entry);
      for (const each of hashesOf(entry)) byHash.set(each, entry);
      for (const dropped of entries.splice(0, entries.length - keptLimit))
        for (const each of hashesOf(dropped)) byHash.delete(each);
      return entry;
    },
    /** Whether it was submitted, in a closed ledger or the next one. */
    holds: (hash: string) => byHash.has(hash),
    /** Finds a transaction in closed ledgers, by either hash if it is a fee bump. */
    find: (hash: string) => [byHash.get(hash)].find((entry) => entry !== undefined && isClosed(entry)),
    /** The successful transactions of closed ledgers after this one, oldest first. */
    after(ledger: number): Entry[] {
      const begin = entries.findLastIndex((entry) => entry.ledger <= ledger) + 1;
      return entries.slice(begin).filter((entry) => entry.successful && isClosed(entry));
    },
    /** Number and closing time of the ledger that closed last. */
    latest: () => ({ ledger: next() - 1, closedAtMs: (next() - 1) * closeMs }),
    /** The sequence number of an account (`G…`) in closed ledgers; 0 for one that has sent nothing yet. */
    sequenceOf: (account: string) => lastSequence(account, isClosed),
    /** Null if a later ledger will apply this transaction; else the code of its rejection. */
    rejectionOf(transaction: AnyTransaction): Rejection | null {
      const { source, sequence, timeBounds } = innerOf(transaction);
      const last = lastSequence(baseAccount(source), () => true);
      if (BigInt(sequence) !== BigInt(last) + 1n) return 'txBadSeq';
      const closesAt = (next() * closeMs) / 1_000;
      const { minTime, maxTime } = timeBounds ?? { minTime: '0', maxTime: '0' };
      if (closesAt < Number(minTime)) return 'txTooEarly';
      return maxTime !== '0' && closesAt > Number(maxTime) ? 'txTooLate' : null;
    },
    /** When a ledger of this number closed. */
    closedAt: (ledger: number) => ledger * closeMs,
  };
}
