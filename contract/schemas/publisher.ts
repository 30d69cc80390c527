import { z } from 'zod';
import { batchHeader } from '../verification/verify-batch.js';
import { oracleReceipt } from '../verification/verify-receipt.js';
import { enumOfMeanings, instant, mayGrow, page } from './primitives.js';
import { scoreCard } from './score-card.js';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const sequence = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** The results of a tick. */
const tickResults = {
  published: 'A new batch was made.',
  unchanged: 'The scores are those of the latest batch, so no new one was made.',
  empty: 'There are no scores to publish yet.',
  held: 'No new batch is made until an earlier one has its receipt, or until the log is whole: see `failure`.',
  no_key: 'No publisher key is configured, so no batch can be signed.',
} as const;

/** Why a tick did not do all it set out to do. */
export const tickFailures = {
  oracle_unreachable: 'No connection to the oracle could be made, or it broke off.',
  oracle_timeout: 'The oracle did not answer in time.',
  oracle_error: 'The oracle answered with an error of its own, or asked to come back later.',
  oracle_refused: 'The oracle refuses the batch; a person must find out why.',
  oracle_receipt: "The oracle's answer is no valid receipt for the batch it was sent.",
  log_behind: 'The oracle has batches that the log lacks; nothing is published until they are back.',
  too_many_entries: 'There are more than 10,000 score cards, the most that a batch holds.',
  interrupted: 'The tick ended without recording a result: its process died or was cut off.',
  internal: 'A fault of the service; its log says more.',
} as const;

/** The states of the publisher, and when exactly each is given. */
const publisherStatuses = {
  ok: 'The last tick was recent and did everything, and no batch has waited long for its receipt.',
  idle: 'Nothing is published: no publisher key is configured, or there were no scores to publish yet.',
  stale: 'No tick has ended for three intervals, or a batch has waited that long for its receipt.',
  failing: 'The last tick failed or died.',
} as const;

/** Why the state is not `ok`. */
const publisherReasons = {
  no_key: 'No publisher key is configured, so no batch can be signed.',
  nothing_published: 'No batch was made yet.',
  no_tick: 'No tick has ended for three intervals: does the schedule run?',
  receipt_overdue: 'A batch has waited three intervals for its receipt.',
  ...tickFailures,
} as const;

export const tickResult = enumOfMeanings(tickResults);
export type TickResult = z.infer<typeof tickResult>;
export const tickFailure = mayGrow(enumOfMeanings(tickFailures));
export type TickFailure = z.infer<typeof tickFailure>;
export const publisherStatus = enumOfMeanings(publisherStatuses);
export type PublisherStatus = z.infer<typeof publisherStatus>;
export const publisherReason = mayGrow(enumOfMeanings(publisherReasons));
export type PublisherReason = z.infer<typeof publisherReason>;

/** A batch without its entries, and all that is needed to check it. */
export const publishedBatch = z
  .object({
    header: batchHeader,
    headerHash: hash.describe('SHA-256 of the RFC 8785 form of the header.'),
    signature: z
      .string()
      .describe('Ed25519 signature in base64; docs/publisher.md defines the signed bytes.'),
    publicKey: z.string().describe('The key of `keyId` (G…). Trust the one you know, not this one.'),
    submittedAt: instant.nullable().describe("When the oracle's receipt was stored, or null without one."),
    receipt: oracleReceipt.nullable().describe("The oracle's receipt, or null without one."),
  })
  .describe('A signed batch of the log.');
export type PublishedBatch = z.infer<typeof publishedBatch>;

export const batchPage = page(publishedBatch).describe('A page of batches.');
export type BatchPage = z.infer<typeof batchPage>;

/** Entries in their order, as they were hashed. */
export const batchEntries = page(scoreCard)
  .extend({
    sequence: sequence.describe('Number of the batch.'),
    start: z.number().int().min(0).describe('Index of the first item in the batch.'),
  })
  .describe('Entries of a batch, by anchor and corridor. Hash every member as it is, unknown ones too.');
export type BatchEntries = z.infer<typeof batchEntries>;

/** An entry and what proves that it is in the batch. */
export const entryProof = z
  .object({
    entry: scoreCard,
    index: z.number().int().min(0).describe('Its place among the entries, from 0.'),
    size: z.number().int().min(1).describe('Number of entries, as in the header.'),
    leafHash: hash.describe('SHA-256 of a zero byte and the RFC 8785 form of the entry.'),
    proof: z.array(hash).describe('Sibling hashes from leaf to root (RFC 6962 section 2.1.1).'),
    batch: publishedBatch,
  })
  .describe('An entry and the proof that the signed batch contains it.');
export type EntryProof = z.infer<typeof entryProof>;

export const tickAnswer = z
  .object({
    startedAt: instant.describe('When it began.'),
    finishedAt: instant.describe('When it ended.'),
    result: tickResult,
    batch: publishedBatch.nullable().describe('The last batch that was made, or null.'),
    made: z.array(sequence).describe('All batches that were made, in order.'),
    submitted: z.array(sequence).describe('The batches that got their receipt, in order.'),
    pending: z.number().int().min(0).describe('Batches still without a receipt; 0 without an oracle.'),
    failure: tickFailure.nullable().describe('Why it did not do everything, or null.'),
  })
  .describe('What the tick did.');
export type TickAnswer = z.infer<typeof tickAnswer>;

export const publisherKey = z
  .object({
    keyId: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .describe('First 16 hex digits of SHA-256 of the public key.'),
    publicKey: z.string().describe('Ed25519 public key (G…).'),
    current: z.boolean().describe('Whether new batches are signed with it.'),
  })
  .describe('A key that signs batches or has signed some.');
export type PublisherKey = z.infer<typeof publisherKey>;

export const publisherHealth = z
  .object({
    status: publisherStatus,
    reason: publisherReason.nullable(),
    checkedAt: instant.describe('When this was looked at.'),
    running: z
      .object({ startedAt: instant.describe('When it began.') })
      .nullable()
      .describe('The tick under way, or null.'),
    lastTick: z
      .object({
        startedAt: instant.describe('When it began.'),
        finishedAt: instant.nullable().describe('When it ended, or null if it died.'),
        result: tickResult.nullable().describe('Its result, or null if it ended without one.'),
        failure: tickFailure.nullable().describe('Why it did not do everything, or null.'),
      })
      .nullable()
      .describe('The last tick that ended or died, or null before the first.'),
    latest: z
      .object({
        sequence: sequence.describe('Its number.'),
        headerHash: hash.describe('Its header hash.'),
        root: hash.describe('Its Merkle root.'),
        createdAt: instant.describe('When it was made.'),
      })
      .nullable()
      .describe('The latest batch, or null before the first.'),
    lastSubmission: z
      .object({
        sequence: sequence.describe('Its number.'),
        headerHash: hash.describe('Its header hash.'),
        submittedAt: instant.describe('When the receipt was stored.'),
      })
      .nullable()
      .describe('The latest batch that has a receipt, or null.'),
    oracle: z
      .boolean()
      .describe('Whether an oracle is configured; without one, batches are signed but not submitted.'),
    pending: z.number().int().min(0).describe('Batches without a receipt; 0 without an oracle.'),
    consecutiveFailures: z.number().int().min(0).describe('Ticks in a row that failed or died.'),
    keys: z.array(publisherKey).describe('The current key first, then those used before.'),
  })
  .describe('The state of the publisher.');
export type PublisherHealth = z.infer<typeof publisherHealth>;
