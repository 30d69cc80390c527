import { z } from 'zod';
import { disputeId, disputeStatus } from './disputes.js';
import { failureReasons } from './intents.js';
import {
  anchorId,
  corridorId,
  decimalAnswer,
  enumOfMeanings,
  instant,
  intentHashText,
  mayGrow,
} from './primitives.js';

/** The data of an intent event, as the interface specification gives it. */
const intentData = z.object({
  intentHash: intentHashText,
  anchorId,
  corridor: corridorId,
  amount: decimalAnswer.describe('The sell amount of the intent.'),
  status: z.enum(['settled', 'failed']).describe('How the intent ended.'),
});

/** The data of a dispute event. */
export const disputeEventData = z.object({
  disputeId,
  intentHash: intentHashText,
  anchorId,
  corridor: corridorId,
  status: disputeStatus,
});

/** The schema of `data` by event name. It defines the types of sender and receivers and the document's `webhooks`. */
export const eventData = {
  'intent.settled': intentData.describe('An off-ramp intent settled successfully.'),
  'intent.failed': intentData
    .extend({
      // Optional, since events wait for a disabled webhook for up to 30 days and those of the previous version lack it.
      reason: mayGrow(enumOfMeanings(failureReasons)).optional(),
    })
    .describe('An off-ramp intent failed to settle.'),
  'dispute.created': disputeEventData
    .extend({
      // Optional for the same reason.
      reason: z
        .string()
        .optional()
        .describe('What the signer wrote, at most 2,000 characters; untrusted text.'),
    })
    .describe('A dispute was filed against an outcome.'),
  'dispute.resolved': disputeEventData.describe('An admin accepted or rejected a dispute.'),
  'anchor.onboarded': z
    .object({
      anchorId,
      name: z.string().describe('The name people know the anchor by.'),
      corridors: z.array(corridorId).describe('The corridors it serves.'),
      simulated: z.boolean().describe('True for a simulated anchor of a development fleet.'),
    })
    .describe('A new anchor was added to the fleet.'),
  'publisher.tick': z
    .object({
      sequence: z.number().int().min(1).describe('Number of the batch.'),
      root: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .describe('Merkle root of its entries, hex.'),
      headerHash: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .describe('SHA-256 of its header, hex.'),
      size: z.number().int().min(0).describe('How many entries it has.'),
      submitted: z
        .boolean()
        .describe('Whether the receipt of the oracle is stored; false where no oracle is configured.'),
    })
    .describe('The publisher finished a batch submission to the oracle.'),
} as const;

export type EventName = keyof typeof eventData;
export type EventData<N extends EventName> = z.infer<(typeof eventData)[N]>;

/** The names of all events. */
export const eventNames = Object.keys(eventData) as [EventName, ...EventName[]];

/** `evt_` and at least 16 letters or digits; stable over retries, so receivers deduplicate by it. */
export const eventId = z
  .string()
  .regex(/^evt_[0-9A-Za-z]{16,64}$/)
  .describe('Unique event identifier, the same on every attempt: deduplicate by it.');

/** The envelope of a delivery: exactly four members. */
export function eventEnvelope<N extends EventName>(name: N) {
  return z.object({
    event: z.literal(name).describe('The event name.'),
    id: eventId,
    createdAt: instant,
    data: eventData[name],
  });
}

/** A delivery's body: what happened, when (ISO 8601 UTC), and its data. */
export interface EventEnvelope<N extends EventName = EventName> {
  event: N;
  id: string;
  createdAt: string;
  data: EventData<N>;
}
