import { z } from 'zod';
import { publicKeyText } from '../verification/public-key.js';
import {
  anchorId,
  anchorInRequest,
  corridorId,
  enumOfMeanings,
  instant,
  intentHashText,
} from './primitives.js';

/** `dsp_` and 36 lower-case hex digits. */
export const disputeId = z
  .string()
  .regex(/^dsp_[0-9a-f]{36}$/, 'must be dsp_ and 36 lower-case hex digits')
  .describe('Identifier of a dispute; sorts by time of filing.');

/** Whether and how a dispute was decided. */
export const disputeStatus = z
  .enum(['open', 'accepted', 'rejected'])
  .describe('`open`: not decided. `accepted`: the outcome counts differently. `rejected`: nothing changes.');

/** Whether anything but the word of its signer supports a dispute. */
export const disputeSupport = z
  .enum(['supported', 'unsupported'])
  .describe(
    '`supported`: the anchor showed a record of the disputed transaction. `unsupported`: it never did, so only the ' +
      'signer says that there was one.',
  );

/** How an outcome that counts, or may count, counts after its dispute was accepted. */
const verdictEffects = {
  counts_not_filled: 'The outcome counts as not filled.',
  counts_filled: 'The outcome counts as filled.',
  not_counted: 'The outcome does not count at all.',
} as const;

export type VerdictEffect = keyof typeof verdictEffects;

/** The actual effects of accepting a dispute. */
export const disputeEffects = {
  ...verdictEffects,
  nothing:
    'Nothing: the outcome does not count whatever the verdict, the anchor has made the disputed failure good, or the ' +
    'intent was taken up again and has no outcome now.',
} as const;

/** The body of a dispute, as the interface specification gives it. `signDispute` makes one. */
export const fileDisputeBody = z
  .object({
    intentHash: intentHashText.describe(
      'The intent whose outcome is disputed. This is the value that is signed.',
    ),
    publicKey: publicKeyText.describe(
      "Key of the signer: the intent's account or the anchor's SIGNING_KEY, as `G…` or 64 hex digits. The dispute " +
        'limit counts keys, however they are spelled.',
    ),
    signature: z
      .string()
      .regex(/^[A-Za-z0-9+/]{85}[AQgw]==$/, 'must be 64 bytes in standard base64')
      .describe(
        'Ed25519 signature in base64: over the SEP-53 form of the intentHash, or over its UTF-8 text.',
      ),
    anchorId: anchorInRequest.describe('The anchor the dispute concerns: the one of the intent.'),
    reason: z
      .string()
      .max(2_000)
      .regex(/\S/, 'must say something')
      .describe('Free text for the admin who decides, at most 2,000 characters. It is not signed.'),
  })
  .strict()
  .describe('A signed dispute.');
export type FileDisputeBody = z.infer<typeof fileDisputeBody>;

/** What the public sees of a dispute. */
export const disputeAnswer = z
  .object({
    id: disputeId,
    status: disputeStatus,
    intentHash: intentHashText,
    anchorId,
    corridor: corridorId,
    filedBy: z.enum(['account', 'anchor']).describe("Whose key signed: the intent's account or the anchor."),
    createdAt: instant,
    resolvedAt: instant.nullable().describe('When it was decided, or null.'),
  })
  .describe('A dispute, as the public sees it.');
export type DisputeAnswer = z.infer<typeof disputeAnswer>;

const auditEntry = z
  .object({
    at: instant,
    action: z.enum(['filed', 'accepted', 'rejected']).describe('What happened.'),
    actor: z
      .string()
      .describe('The signer when filed; then the person who decided, as the admin named them.'),
    note: z.string().nullable().describe('What the admin noted, or null.'),
    evidence: z.string().nullable().describe('What the verdict rests on, as the admin named it, or null.'),
  })
  .describe('One step of a dispute. Entries are only ever added.');

/** What admins see of a dispute. */
export const adminDispute = disputeAnswer
  .extend({
    publicKey: z.string().describe('The signer, as `G…`.'),
    reason: z.string().describe('What the signer wrote; untrusted text.'),
    outcomeStatus: z.enum(['settled', 'failed', 'expired']).describe('The outcome that is disputed.'),
    support: disputeSupport,
    effect: enumOfMeanings(disputeEffects, 'What accepting the dispute would change now, or has changed.'),
    audit: z.array(auditEntry).describe('Every step, oldest first.'),
  })
  .describe('A dispute with all that is needed to decide it.');
export type AdminDispute = z.infer<typeof adminDispute>;

export const resolveDisputeBody = z
  .object({
    id: disputeId,
    action: z.enum(['accept', 'reject']).describe('The verdict, which can be given once.'),
    note: z.string().max(2_000).optional().describe('Why, for the audit trail.'),
    evidence: z
      .string()
      .max(2_000)
      .regex(/\S/, 'must say something')
      .optional()
      .describe(
        'What the verdict rests on, for the audit trail. Required for accepting an `unsupported` dispute: name what ' +
          'shows the payment, such as the hash of the transaction on the ledger.',
      ),
    actor: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Who decides, for the audit trail; `admin` when absent.'),
  })
  .strict()
  .describe('A verdict.');
export type ResolveDisputeBody = z.infer<typeof resolveDisputeBody>;
