import { z } from 'zod';
import { eventId, eventNames } from './events.js';
import { enumOfMeanings, instant, mayGrow, sentInstant } from './primitives.js';

export const webhookId = z
  .string()
  .regex(/^whk_[0-9a-f]{44}$/, 'must be whk_ and 44 lower-case hex digits')
  .describe('Identifier of a webhook; sorts by time of registration.');

export const deliveryId = z
  .string()
  .regex(/^dlv_[0-9a-f]{44}$/, 'must be dlv_ and 44 lower-case hex digits')
  .describe('Identifier of a delivery; sorts by time of the event.');

export const eventName = mayGrow(z.enum(eventNames)).describe('The name of an event.');

/** The events a webhook gets; order and repetitions have no meaning. */
const subscription = z.array(eventName).min(1).max(eventNames.length).describe('The events to subscribe to.');

const url = z
  .string()
  .max(2_048)
  .regex(
    // The same rule as in server/outbound/vet-url.ts: no credentials, and no host that ends in a dot.
    /^https?:\/\/[^\s/\\?#@]*[^\s/\\?#@.]([/?#][^\s\\]*)?$/,
    'must begin with https:// and a host, without credentials, spaces or backslashes',
  )
  .describe(
    'Where deliveries are sent: an https address on port 443 of a public host, without credentials; others only where ' +
      'the operator lists their origin in OUTBOUND_ALLOW.',
  );

/** Printable ASCII, because forms, variables and languages on the way to the receiver do not change it. */
const secret = z
  .string()
  .min(16)
  .max(256)
  .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII characters')
  .describe(
    'Shared secret that signs the deliveries: 16 to 256 printable ASCII characters. It is never returned. The form of ' +
      'Standard Webhooks, `whsec_` and base64, may be used.',
  );

/** The body of a registration, as the interface specification gives it. */
export const createWebhookBody = z
  .object({ url, events: subscription, secret })
  .strict()
  .describe('A webhook to be registered.');
export type CreateWebhookBody = z.infer<typeof createWebhookBody>;

export const updateWebhookBody = z
  .object({
    url: url.optional(),
    events: subscription.optional(),
    enabled: z
      .boolean()
      .optional()
      .describe(
        '`true` sends everything that was held in the meantime; `false` holds all deliveries from now on.',
      ),
  })
  .strict()
  .refine((body) => Object.keys(body).length > 0, 'must change something')
  .describe('What to change; absent members stay as they are.');
export type UpdateWebhookBody = z.infer<typeof updateWebhookBody>;

export const rotateSecretBody = z
  .object({
    secret,
    overlapSeconds: z
      .number()
      .int()
      .min(0)
      .max(86_400)
      .optional()
      .describe('How long the present secret stays in force; 86400 (24 h) when absent, 0 ends it at once.'),
  })
  .strict()
  .describe('The new secret.');
export type RotateSecretBody = z.infer<typeof rotateSecretBody>;

export const testWebhookBody = z
  .object({
    event: eventName.optional().describe('Which event to send; the first subscribed one when absent.'),
  })
  .strict()
  .describe('Which event to send; an empty body, or none, sends the first subscribed one.');

/** The most deliveries that one call sends again. */
export const maxResent = 1_000;

export const resendFailedBody = z
  .object({
    since: sentInstant.describe(
      'Deliveries that were refused or exhausted at this instant or later are sent again. ISO 8601, with `Z` or an offset.',
    ),
  })
  .strict()
  .describe('Which deliveries to send again.');

/** What a bulk re-send did. */
export const resentDeliveries = z
  .object({
    resent: z.number().int().min(0).max(maxResent).describe('How many deliveries this call sends again.'),
    more: z.boolean().describe('Whether deliveries are left: if so, call again with the same `since`.'),
  })
  .describe('How many failed deliveries are sent again.');
export type ResentDeliveries = z.infer<typeof resentDeliveries>;

/** Why a webhook is disabled. */
export const disabledReason = z
  .enum(['refused', 'admin'])
  .describe('`refused`: the receiver answered a delivery with a 4xx status. `admin`: switched off here.');

export const webhookAnswer = z
  .object({
    id: webhookId,
    url: z.string().describe('Where deliveries are sent.'),
    events: z.array(eventName).describe('The events subscribed to.'),
    enabled: z.boolean().describe('Whether deliveries are sent; what a disabled webhook would get is held.'),
    disabled: z
      .object({
        reason: disabledReason,
        status: z.number().int().nullable().describe('The 4xx status that disabled it, or null.'),
        at: instant.describe('Since when it is disabled.'),
      })
      .nullable()
      .describe('Why it is disabled, or null while it is enabled.'),
    secretChangedAt: instant.describe('When the present secret was set.'),
    overlapEndsAt: instant
      .nullable()
      .describe(
        'Until when an older secret is in force beside the present one, or null without a rotation under way.',
      ),
    createdAt: instant.describe('When it was registered.'),
    updatedAt: instant.describe('When it was last changed.'),
  })
  .describe('A webhook; its secret is never shown.');
export type WebhookAnswer = z.infer<typeof webhookAnswer>;

/** What a deletion did. */
export const deletedWebhook = z
  .object({
    id: webhookId,
    deletedAt: instant.describe('When it was deleted; nothing is sent to it any more.'),
  })
  .describe('The deleted webhook; its deliveries are deleted too.');

/** The states of a delivery, and what each means. */
const deliveryStates = {
  pending: 'It will be sent, or sent again, automatically.',
  held: 'The webhook is disabled; enabling it within 30 days of the event sends it.',
  delivered: 'The receiver acknowledged it with a 2xx status.',
  refused:
    'The receiver answered with a 4xx status (during a rotation, for every secret in force), which also disabled the ' +
    'webhook. Not sent again automatically.',
  exhausted: 'Four attempts brought no acknowledgement. Not sent again automatically.',
} as const;

/** How one attempt ended. */
export const attemptOutcomes = {
  acknowledged: 'A 2xx status.',
  refused: 'A 4xx status.',
  failed: 'Another status: a 5xx, or a redirect, which is not followed.',
  timeout: 'No complete answer within 5 seconds.',
  unreachable:
    'The name does not exist, no connection or TLS session came about, or it was closed before an answer.',
  bad_response: 'The answer cannot be read as HTTP.',
  blocked: 'The address leads to a host that this service must not call; nothing was sent.',
  unknown: 'The sender ended before it recorded the outcome; the receiver may have got it.',
} as const;

export const deliveryState = enumOfMeanings(deliveryStates);
export type DeliveryState = z.infer<typeof deliveryState>;
export const attemptOutcome = mayGrow(enumOfMeanings(attemptOutcomes));
export type AttemptOutcome = z.infer<typeof attemptOutcome>;

export const deliveryAttempt = z
  .object({
    attempt: z
      .number()
      .int()
      .min(1)
      .describe(
        'Its number, counted on when the delivery is sent again. During a rotation, the POSTs with either secret share it.',
      ),
    at: instant.describe('When it began.'),
    outcome: attemptOutcome,
    status: z.number().int().nullable().describe('The HTTP status, or null without an answer.'),
    elapsedMs: z.number().int().min(0).nullable().describe('Time taken in milliseconds, or null if unknown.'),
    answer: z
      .string()
      .nullable()
      .describe(
        'The first 1,024 bytes of the answer, or null without one: printable ASCII, other bytes and `<`, `>`, `&`, ' +
          '`"`, backslash as `\\xNN`. Untrusted text.',
      ),
    signedWith: z
      .enum(['present', 'former'])
      .nullable()
      .describe(
        'Which secret made X-Fairlead-Signature: `present`, the one set last, or `former`, one that a rotation is ' +
          'replacing. Null where the outcome is unknown, and for attempts that were recorded without it.',
      ),
  })
  .describe('One POST of a delivery.');
export type DeliveryAttempt = z.infer<typeof deliveryAttempt>;

export const deliveryAnswer = z
  .object({
    id: deliveryId,
    webhookId,
    eventId: eventId.describe('The event; the same over all attempts, and `webhook-id` on the wire.'),
    event: eventName,
    test: z.boolean().describe('Whether it is a test: sent with `X-Fairlead-Test: true` and made-up data.'),
    state: deliveryState,
    createdAt: instant.describe('When it was created from its event.'),
    nextAttemptAt: instant
      .nullable()
      .describe('When it is sent next; null while it is being sent, is held, or is settled.'),
    settledAt: instant.nullable().describe('When it was delivered, refused or exhausted, or null.'),
    body: z.string().describe('The exact body, the same over all attempts.'),
    attempts: z.array(deliveryAttempt).describe('The POSTs so far, oldest first; the last 20.'),
  })
  .describe('One event on its way to one webhook.');
export type DeliveryAnswer = z.infer<typeof deliveryAnswer>;
