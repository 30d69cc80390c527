/** What happens to one withdrawal in truth, and what its anchor says of it. */
export type Course =
  /** Paid on the ledger and paid out, `shortfallPercent` less than quoted; `tells`: the anchor also reports the payment. */
  | { kind: 'paid_out'; afterSeconds: number; shortfallPercent: number; tells: boolean }
  /** Paid on the ledger, and sent back. */
  | { kind: 'refunded' }
  /** Paid on the ledger; the anchor keeps the money and never says another word. */
  | { kind: 'kept' }
  /** Nobody paid, but the anchor reports a payment and a payout. */
  | { kind: 'invented' }
  /** Nobody paid, and nobody reports a payment. */
  | { kind: 'abandoned' }
  /** The account paid somebody else, and says that this was the payment. */
  | { kind: 'framed' };

/** Whether the withdrawal moves money of the anchor's customer on the ledger. */
export function isPaid({ kind }: Course): boolean {
  return kind === 'paid_out' || kind === 'refunded' || kind === 'kept';
}
