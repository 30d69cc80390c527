import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { anchorId, corridorId, instant, intentHash, noQuery, page, pageQuery } from './primitives.js';
import { publicKeyText } from './public-key.js';
import { describeRoute } from './route-metadata.js';

const c = initContract();

/** `dsp_` and 36 lower-case hex digits. */
export const disputeId = z
  .string()
  .regex(/^dsp_[0-9a-f]{36}$/, 'must be dsp_ and 36 lower-case hex digits')
  .describe('Identifier of a dispute; sorts by time of filing.');

/** Whether and how a dispute was decided. */
export const disputeStatus = z
  .enum(['open', 'accepted', 'rejected'])
  .describe('`open`: not decided. `accepted`: the outcome counts differently. `rejected`: nothing changes.');

/** What an accepted dispute makes of the outcome. */
export const disputeEffects = {
  counts_not_filled: 'The outcome counts as not filled.',
  counts_filled: 'The outcome counts as filled.',
  not_counted: 'The outcome does not count at all.',
} as const;

/** The body of a dispute, as the interface specification gives it. `signDispute` makes one. */
export const fileDisputeBody = z
  .object({
    intentHash: intentHash.describe(
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
    anchorId: anchorId.describe('The anchor the dispute concerns: the one of the intent.'),
    reason: z
      .string()
      .max(2_000)
      .regex(/\S/, 'must say something')
      .describe('Free text for the admin who decides, at most 2,000 characters. It is not signed.'),
  })
  .strict()
  .describe('A signed dispute.');

/** What the public sees of a dispute. */
export const disputeAnswer = z
  .object({
    id: disputeId,
    status: disputeStatus,
    intentHash,
    anchorId,
    corridor: corridorId,
    filedBy: z.enum(['account', 'anchor']).describe("Whose key signed: the intent's account or the anchor."),
    createdAt: instant,
    resolvedAt: instant.nullable().describe('When it was decided, or null.'),
  })
  .describe('A dispute, as the public sees it.');

const auditEntry = z
  .object({
    at: instant,
    action: z.enum(['filed', 'accepted', 'rejected']).describe('What happened.'),
    actor: z.string().describe('The signer when filed; then who decided, as the admin gave it.'),
    note: z.string().nullable().describe('What the admin noted, or null.'),
  })
  .describe('One step of a dispute. Entries are only ever added.');

/** What admins see of a dispute. */
export const adminDispute = disputeAnswer
  .extend({
    publicKey: z.string().describe('The signer, as `G…`.'),
    reason: z.string().describe('What the signer wrote; untrusted text.'),
    outcomeStatus: z.enum(['settled', 'failed', 'expired']).describe('The outcome that is disputed.'),
    effect: z
      .enum(Object.keys(disputeEffects) as [keyof typeof disputeEffects, ...(keyof typeof disputeEffects)[]])
      .describe(
        `What accepting makes of the outcome, if it still stands by then. ${Object.entries(disputeEffects)
          .map(([effect, meaning]) => `\`${effect}\`: ${meaning}`)
          .join(' ')}`,
      ),
    audit: z.array(auditEntry).describe('Every step, oldest first.'),
  })
  .describe('A dispute with all that is needed to decide it.');

export const resolveDisputeBody = z
  .object({
    id: disputeId,
    action: z.enum(['accept', 'reject']).describe('The verdict; given once.'),
    note: z.string().max(2_000).optional().describe('Why, for the audit trail.'),
    actor: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Who decides, for the audit trail; `admin` when absent.'),
  })
  .strict()
  .describe('A verdict.');

export type FileDisputeBody = z.infer<typeof fileDisputeBody>;
export type DisputeAnswer = z.infer<typeof disputeAnswer>;
export type AdminDispute = z.infer<typeof adminDispute>;
export type ResolveDisputeBody = z.infer<typeof resolveDisputeBody>;

const exampleAnswer = {
  id: 'dsp_019ab5d6c1a04f1b2c3d4e5f60718293a4b5',
  status: 'open',
  intentHash: 'acffc35a01a279d205d20851c951e760b811d65b6e16f396ed99c108b054f3f7',
  anchorId: 'harbour',
  corridor: 'usdc-ngn',
  filedBy: 'account',
  createdAt: '2026-11-21T12:00:00.000Z',
  resolvedAt: null,
} satisfies DisputeAnswer;

const exampleAdmin = {
  ...exampleAnswer,
  publicKey: 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L',
  reason: 'The bank says that nothing arrived.',
  outcomeStatus: 'settled',
  effect: 'counts_not_filled',
  audit: [
    {
      at: '2026-11-21T12:00:00.000Z',
      action: 'filed',
      actor: 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L',
      note: null,
    },
  ],
} satisfies AdminDispute;

const fileDispute = describeRoute({
  method: 'POST',
  operationId: 'fileDispute',
  tag: 'disputes',
  access: 'signed',
  limit: 'dispute',
  cache: 'no-store',
  errors: [
    'UNKNOWN_INTENT',
    'SIGNER_NOT_ENTITLED',
    'INVALID_SIGNATURE',
    'ANCHOR_MISMATCH',
    'INTENT_UNRESOLVED',
    'DISPUTE_WINDOW_CLOSED',
    'DISPUTE_EXISTS',
  ],
  example: {
    body: {
      intentHash: exampleAnswer.intentHash,
      publicKey: exampleAdmin.publicKey,
      signature: 'qISqk+A3rhYqj79sMtNUUT+l0QneKRTxekpgbS0W0PLeJ7Vn+PNuQI7G+T7R7RdQHn1Y6SxM63slbnwczItZDg==',
      anchorId: 'harbour',
      reason: exampleAdmin.reason,
    } satisfies FileDisputeBody,
    answer: exampleAnswer,
  },
});

const listDisputes = describeRoute({
  method: 'GET',
  operationId: 'listDisputes',
  tag: 'admin',
  access: 'admin',
  limit: 'default',
  cache: 'no-store',
  example: { query: { status: 'open' }, answer: { items: [exampleAdmin], nextCursor: null } },
});

const resolveDispute = describeRoute({
  method: 'POST',
  operationId: 'resolveDispute',
  tag: 'admin',
  access: 'admin',
  limit: 'default',
  cache: 'no-store',
  errors: ['UNKNOWN_DISPUTE', 'DISPUTE_RESOLVED'],
  example: {
    body: { id: exampleAnswer.id, action: 'accept', note: 'Bank statement seen.', actor: 'ada' },
    answer: {
      ...exampleAdmin,
      status: 'accepted',
      resolvedAt: '2026-11-22T08:00:00.000Z',
      audit: [
        ...exampleAdmin.audit,
        { at: '2026-11-22T08:00:00.000Z', action: 'accepted', actor: 'ada', note: 'Bank statement seen.' },
      ],
    } satisfies AdminDispute,
  },
});

export const disputesContract = c.router(
  {
    fileDispute: {
      method: fileDispute.method,
      path: '/api/reputation/dispute',
      summary: 'Dispute an outcome',
      description:
        "Files a dispute signed by the intent's account (against a settled outcome, or one that expired although a " +
        'transaction was attached) or by the anchor (against a failed one), within 30 days. The signature over ' +
        'intentHash is verified before anything is stored. The dispute is read with its intent. The same one again ' +
        'answers 200. A key can file ten disputes in 24 hours, and from one client make ten attempts at it; each ' +
        'client has the default limit besides. The headers show the limit with the least left.',
      query: noQuery,
      body: fileDisputeBody,
      responses: { 200: disputeAnswer, 201: disputeAnswer, ...fileDispute.errors },
      metadata: fileDispute.metadata,
    },
  },
  { strictStatusCodes: true },
);

export const adminDisputesContract = c.router(
  {
    listDisputes: {
      method: listDisputes.method,
      path: '/api/admin/disputes',
      summary: 'List disputes',
      description:
        'Disputes, newest first, with their reasons and audit trails; filtered by status and anchor.',
      query: z
        .object({
          status: disputeStatus.optional(),
          anchor: anchorId.optional().describe('Only disputes that concern this anchor.'),
          ...pageQuery,
        })
        .strict(),
      responses: { 200: page(adminDispute), ...listDisputes.errors },
      metadata: listDisputes.metadata,
    },
    resolveDispute: {
      method: resolveDispute.method,
      path: '/api/admin/disputes',
      summary: 'Accept or reject a dispute',
      description:
        'Decides a dispute, once: the same verdict again answers 200 with what stands, the other one 409. Accepting ' +
        'changes what the outcome counts as, and the scores follow with the next fold and refresh; unless the anchor ' +
        'has made the disputed failure good in the meantime, so that it counts as settled already.',
      query: noQuery,
      body: resolveDisputeBody,
      responses: { 200: adminDispute, ...resolveDispute.errors },
      metadata: resolveDispute.metadata,
    },
  },
  { strictStatusCodes: true },
);
