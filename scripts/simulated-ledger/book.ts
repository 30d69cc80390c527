import { Decimal } from 'decimal.js';
import type { Clock } from '../../server/ports.js';
import {
  type AnyTransaction,
  baseAccount,
  type Entry,
  encodedResult,
  innerOf,
  type Rejection,
  readEnvelope,
  transferOf,
} from './entries.js';

/** The balance of a new account in every asset: nobody has to fund simulated wallets. */
const openingBalance = 1_000_000;
/** The most that is kept. */
const keptLimit = 20_000;

/** The transactions of the simulated ledger. A ledger closes every `closeMs`; its number follows from the clock alone. */
export type Book = ReturnType<typeof createBook>;

export function createBook(options: { clock: Clock; closeMs: number; saved: readonly Entry[] }) {
  const { clock, closeMs } = options;
  const entries = [...options.saved];
  const byHash = new Map<string, Entry>();
  const balances = new Map<string, Decimal>();
  /** What each account has sent, oldest first. */
  const sent = new Map<string, { sequence: string; closedAtMs: number }[]>();
  let changed = false;
  const isClosed = ({ closedAtMs }: { closedAtMs: number }) => closedAtMs <= clock();
  const hashesOf = ({ hash, innerHash }: Entry) => (innerHash === null ? [hash] : [hash, innerHash]);
  const sentBy = (account: string) => sent.get(baseAccount(account)) ?? [];

  function note(entry: Entry, transaction: AnyTransaction): void {
    for (const hash of hashesOf(entry)) byHash.set(hash, entry);
    const { source, sequence } = innerOf(transaction);
    sent.set(baseAccount(source), [...sentBy(source), { sequence, closedAtMs: entry.closedAtMs }]);
  }

  /** Applies all payments of a transaction, or none. */
  function carryOut(transaction: AnyTransaction): boolean {
    const inner = innerOf(transaction);
    const after = new Map<string, Decimal>();
    const add = (account: string, asset: { toString(): string }, amount: Decimal) => {
      const key = `${baseAccount(account)} ${asset}`;
      after.set(key, (after.get(key) ?? balances.get(key) ?? new Decimal(openingBalance)).plus(amount));
    };
    for (const operation of inner.operations) {
      const transfer = transferOf(operation, inner.source);
      if (transfer === null) continue;
      add(transfer.from, transfer.sent.asset, new Decimal(transfer.sent.amount).neg());
      add(transfer.to, transfer.asset, new Decimal(transfer.amount));
    }
    if ([...after.values()].some((balance) => balance.isNegative())) return false;
    for (const [key, balance] of after) balances.set(key, balance);
    return true;
  }

  for (const entry of entries) {
    const transaction = readEnvelope(entry.envelope);
    note(entry, transaction);
    if (entry.successful) carryOut(transaction);
  }

  return {
    /** Adds a transaction to the ledger that closes next, unless it is already there. Returns its entry. */
    submit(transaction: AnyTransaction): Entry {
      const hash = transaction.hash().toString('hex');
      const known = byHash.get(hash);
      if (known !== undefined) return known;
      const ledger = Math.floor(clock() / closeMs) + 1;
      const inner = innerOf(transaction).hash().toString('hex');
      const successful = carryOut(transaction);
      const entry: Entry = {
        hash,
        innerHash: inner === hash ? null : inner,
        ledger,
        order: entries.filter((each) => each.ledger === ledger).length + 1,
        closedAtMs: ledger * closeMs,
        successful,
        envelope: transaction.toXDR(),
        result: encodedResult(transaction, successful),
      };
      entries.push(entry);
      note(entry, transaction);
      changed = true;
      for (const dropped of entries.splice(0, Math.max(0, entries.length - keptLimit)))
        for (const each of hashesOf(dropped)) byHash.delete(each);
      return entry;
    },
    /** Whether it was submitted, in a closed ledger or the next one. */
    holds: (hash: string) => byHash.has(hash),
    /** Finds a transaction in closed ledgers, by either hash if it is a fee bump. */
    find: (hash: string) => [byHash.get(hash)].find((entry) => entry !== undefined && isClosed(entry)),
    /** The transactions of closed ledgers, oldest first. */
    all: () => entries.filter(isClosed),
    /** Number and closing time of the ledger that closed last. */
    latest() {
      const ledger = Math.floor(clock() / closeMs);
      return { ledger, closedAtMs: ledger * closeMs };
    },
    /** The sequence number of an account (`G…`) in closed ledgers; 0 for one that has sent nothing yet. */
    sequenceOf: (account: string) => sentBy(account).findLast(isClosed)?.sequence ?? '0',
    /** Null if a later ledger will apply this transaction; else the code of its rejection. */
    rejectionOf(transaction: AnyTransaction): Rejection | null {
      const { source, sequence, timeBounds } = innerOf(transaction);
      const last = sentBy(source).at(-1)?.sequence ?? '0';
      if (BigInt(sequence) !== BigInt(last) + 1n) return 'txBadSeq';
      const closesAt = ((Math.floor(clock() / closeMs) + 1) * closeMs) / 1_000;
      const { minTime, maxTime } = timeBounds ?? { minTime: '0', maxTime: '0' };
      if (closesAt < Number(minTime)) return 'txTooEarly';
      return maxTime !== '0' && closesAt > Number(maxTime) ? 'txTooLate' : null;
    },
    /** When a ledger of this number closed. */
    closedAt: (ledger: number) => ledger * closeMs,
    /** Everything kept, for the state file, if anything changed since the last time. */
    takeChanged(): readonly Entry[] | undefined {
      if (!changed) return undefined;
      changed = false;
      return entries;
    },
  };
}
