import type { LedgerTransaction } from '../../server/ledger/ledger.js';
import { type Course, isPaid } from './course.js';

export const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
export const anchorAccount = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
export const sellAsset = `stellar:USDC:${anchorAccount}`;
const rivalAccount = 'GDKUEB62DFEXPXHUNLN75QV4FZ23KLK2RJBBQT7N7XAAAJHQ4PUNUPKW';

/** The transaction that is truly on the ledger; null where there is none. */
export function paymentOf(course: Course, hash: string, closedAtMs: number): LedgerTransaction | null {
  if (!isPaid(course) && course.kind !== 'framed') return null;
  return {
    hash,
    successful: true,
    ledger: 60_000_000,
    closedAtMs,
    source: account,
    memo: { type: 'id', value: '42' },
    payments: [
      {
        operationId: '257698037760000001',
        position: 1,
        kind: 'payment',
        from: account,
        fromMuxedId: null,
        to: course.kind === 'framed' ? rivalAccount : anchorAccount,
        toMuxedId: null,
        asset: sellAsset,
        amount: '100',
      },
    ],
  };
}
