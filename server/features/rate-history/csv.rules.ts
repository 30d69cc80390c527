import type { RateQuote, RatesAnswer } from '../../../contract/schemas/rates.js';

/** The content of a row: the quote of an anchor in a sample, or the reason why it had none. */
interface Subject {
  at: string;
  answer: RatesAnswer;
  anchorId: string;
  quote?: RateQuote;
  reason?: string;
}

type Cell = string | number | boolean | null | undefined;

/** The columns in order. New ones are added at the end. */
const columns: Readonly<Record<string, (subject: Subject) => Cell>> = {
  at: ({ at }) => at,
  corridor: ({ answer }) => answer.corridor,
  amount: ({ answer }) => answer.amount,
  anchorId: ({ anchorId }) => anchorId,
  best: ({ answer, anchorId }) => answer.best?.anchorId === anchorId,
  tier: ({ quote }) => quote?.tier,
  sellAmount: ({ quote }) => quote?.sellAmount,
  receiveAmount: ({ quote }) => quote?.receiveAmount,
  rate: ({ quote }) => quote?.rate,
  adjusted: ({ quote }) => quote?.adjusted,
  feeTotal: ({ quote }) => quote?.fee?.total,
  feeAsset: ({ quote }) => quote?.fee?.asset,
  deliveryMethod: ({ quote }) => quote?.deliveryMethod,
  quotedAt: ({ quote }) => quote?.quotedAt,
  costPercent: ({ quote }) => quote?.cost?.percent,
  referenceRate: ({ quote }) => quote?.cost?.reference.rate,
  score: ({ quote }) => quote?.reputation.score,
  outcomes: ({ quote }) => quote?.reputation.outcomes,
  expectedReceive: ({ quote }) => quote?.expectedReceive,
  worth: ({ quote }) => quote?.worth,
  unranked: ({ quote }) => quote?.unranked,
  unavailable: ({ reason }) => reason,
};

/** The column names. They are part of the version of a CSV file, so that a file with other columns has another version. */
export const csvColumns = Object.keys(columns).join(',');

/** The first line. Lines end with CRLF (RFC 4180). */
export const csvHeader = `${csvColumns}\r\n`;

/** The lines of a sample: its quotes in the order of the answer, then the anchors without one. `at` is an instant. */
export function csvRows(at: string, answer: RatesAnswer): string {
  const subjects: Subject[] = [
    ...answer.quotes.map((quote) => ({ at, answer, anchorId: quote.anchorId, quote })),
    ...answer.unavailable.map(({ anchorId, reason }) => ({ at, answer, anchorId, reason })),
  ];
  return subjects.map(toLine).join('');
}

function toLine(subject: Subject): string {
  const cells = Object.values(columns).map((cellOf) => escaped(cellOf(subject)));
  return `${cells.join(',')}\r\n`;
}

function escaped(cell: Cell): string {
  const text = String(cell ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
