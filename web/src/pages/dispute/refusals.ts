/** The refusals of a dispute that the page explains in its own words. */
const explained = [
  'INVALID_REQUEST',
  'RATE_LIMITED',
  'UNKNOWN_INTENT',
  'SIGNER_NOT_ENTITLED',
  'ANCHOR_MISMATCH',
  'INVALID_SIGNATURE',
  'INTENT_UNRESOLVED',
  'DISPUTE_WINDOW_CLOSED',
  'DISPUTE_EXISTS',
  'NOT_READY',
] as const;

export function isExplained(code: string): code is (typeof explained)[number] {
  return (explained as readonly string[]).includes(code);
}
