import type { Sample, SampleQuote } from './sample.rules.js';

/** The content of a row: the quote of an anchor in a sample, or the reason why it had none. */
interface Subject {
  sample: Sample;
  anchorId: string;
  quote?: SampleQuote;
  reason?: string;
}

type Cell = string | number | boolean | null | undefined;

/** The columns in order. New ones are added at the end. */
const columns: Readonly<Record<string, (subject: Subject) => Cell>> = {
  at: ({ sample }) => sample.at.toISOString(),
  corridor: ({ sample }) => sample.corridor,
  amount: ({ sample }) => sample.amount,
  anchorId: ({ anchorId }) => anchorId,
  best: ({ sample, anchorId }) => sample.best?.anchorId === anchorId,
  tier: ({ quote }) => quote?.tier,
  sellAmount: ({ quote }) => quote?.sellAmount,
  receiveAmount: ({ quote }) => quote?.receiveAmount,
  rate: ({ quote }) => quote?.rate,
  adjusted: ({ quote }) => quote?.adjusted,
  feeTotal: ({ quote }) => quote?.fee?.total,
  feeAsset: ({ quote }) => quote?.fee?.asset,
  deliveryMethod: ({ quote }) => quote?.deliveryMethod,
  quotedAt: ({ quote }) => quote?.quotedAt,
  costPercent: ({ quote }) => quote?.costPercent,
  referenceRate: ({ quote }) => quote?.referenceRate,
  score: ({ quote }) => quote?.score,
  outcomes: ({ quote }) => quote?.outcomes,
  expectedReceive: ({ quote }) => quote?.expectedReceive,
  worth: ({ quote }) => quote?.worth,
  unranked: ({ quote }) => quote?.unranked,
  unavailable: ({ reason }) => reason,
};

/** The first line. Lines end with CRLF (RFC 4180). */
export const csvHeader = `${Object.keys(columns).join(',')}\r\n`;

/** The lines of a sample: its quotes in the order of the answer, then the anchors without one. */
export function csvRows(sample: Sample): string {
  const subjects: Subject[] = [
    ...sample.quotes.map((quote) => ({ sample, anchorId: quote.anchorId, quote })),
    ...sample.unavailable.map(({ anchorId, reason }) => ({ sample, anchorId, reason })),
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
