import { z } from 'zod';
import { decimalAnswer, enumOfMeanings, instant, mayGrow } from './primitives.js';

/** The hash of a Stellar transaction: 64 hex digits. */
export const paymentHash = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'must be the hash of a Stellar transaction, 64 hex digits')
  .describe(
    'The hash of the Stellar transaction that paid the withdrawal, 64 hex digits. For a fee bump, either hash.',
  );

/** Why a named payment is not, or not yet, taken for the payment of the intent. */
const paymentProblems = {
  ledger_unavailable:
    'The ledger did not answer, or its answer could not be read. The payment is looked up again.',
  out_of_range:
    'Not found, but the history that is asked for does not reach back far enough. The payment is looked up again.',
  not_found:
    'The ledger has no such transaction. It is looked up again; after an hour, a record that names it is no longer believed.',
  no_instructions:
    'When the ledger of the payment closed, no record of the anchor with the account and memo to pay with was stored.',
  transaction_failed: 'The transaction failed: nothing was paid.',
  no_payment: 'The transaction holds no payment.',
  too_early: 'The ledger of the payment closed before the intent was registered.',
  too_late:
    'The ledger of the payment closed more than a day after the intent expired, or after a record had shown the withdrawal as closed.',
  other_sender: "No operation is from the intent's account.",
  other_destination: "No operation pays the account that the anchor's record named before the ledger closed.",
  other_asset: "No operation pays in the corridor's stablecoin.",
  wrong_memo:
    "The transaction has neither the memo that the anchor's record named nor a muxed id in its place.",
  amount_mismatch: 'The amount delivered is not within 10 % of the sell amount.',
  already_used: 'It is already the payment of another intent; a payment serves only one.',
} as const;

export type PaymentProblem = keyof typeof paymentProblems;

const namedBy = z
  .enum(['wallet', 'anchor'])
  .describe('Who named it: the wallet, or the record of the anchor.');

const muxedId = z.string().nullable().describe('The 64-bit id where it is a muxed account, or null.');

/** The payment as it stands on the ledger, and where it was seen there. */
export const foundPayment = z
  .object({
    hash: z.string().describe('The hash it was looked up by.'),
    namedBy,
    operationId: z
      .string()
      .describe(
        'The number of the operation on the ledger (SEP-35), as Horizon gives it: `/operations/{id}`.',
      ),
    operation: z
      .enum(['payment', 'path_payment_strict_receive', 'path_payment_strict_send'])
      .describe('The kind of the operation.'),
    ledger: z.number().int().describe('The sequence number of the ledger.'),
    closedAt: instant.describe('When that ledger closed: the time of the payment.'),
    from: z.string().describe('The account that paid, `G…`.'),
    fromMuxedId: muxedId,
    to: z.string().describe('The account that was paid, `G…`.'),
    toMuxedId: muxedId,
    asset: z.string().describe('`stellar:CODE:ISSUER`.'),
    amount: decimalAnswer.describe('What was delivered.'),
    memoType: z.enum(['text', 'id', 'hash', 'return']).nullable().describe('The type of the memo, or null.'),
    memo: z.string().nullable().describe('The memo; `hash` and `return` in hex.'),
    lookedUpAt: instant.describe('When it was looked up.'),
    lookedUpIn: z.enum(['rpc', 'horizon']).describe('Which interface to the ledger answered.'),
  })
  .describe('The payment as it stands on the ledger. Anybody can look it up again.');

/** What is known of the payment of an intent. */
export const intentPayment = z
  .object({
    named: z
      .array(
        z.object({
          hash: z.string().describe('The hash of the transaction.'),
          by: namedBy,
          lookedUpAt: instant.nullable().describe('When it was last looked up, or null.'),
          problem: mayGrow(
            enumOfMeanings(paymentProblems, 'Why it is not taken for the payment, or null.'),
          ).nullable(),
        }),
      )
      .describe('The transactions that were named as the payment, at most one per party.'),
    found: foundPayment.nullable(),
  })
  .describe('What was named as the payment, and what was found on the ledger.');
