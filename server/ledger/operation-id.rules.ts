/** The parts of an operation's number on the whole ledger. Order and position count from 1. */
export interface OperationPlace {
  ledger: number;
  /** The order of the transaction in the ledger. */
  order: number;
  /** The position of the operation in its transaction. */
  position: number;
}

/** The number of SEP-35, which Horizon uses as an operation's id: 32 bits of ledger, 20 of order, 12 of position. */
export function operationIdOf({ ledger, order, position }: OperationPlace): string {
  return ((BigInt(ledger) << 32n) | (BigInt(order) << 12n) | BigInt(position)).toString();
}

/** The position of the operation in its transaction; null where the text is no such number. */
export function positionOf(operationId: string): number | null {
  return /^\d{1,19}$/.test(operationId) ? Number(BigInt(operationId) & 0xfffn) : null;
}
