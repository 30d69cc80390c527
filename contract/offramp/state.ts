import type { IntentTerms } from '../verification/intent-hash.js';

/** The addresses, the key and the assets of the anchor, as discovered at the start. */
export interface OfframpAnchor {
  /** Host of the stellar.toml: the home domain of SEP-10. */
  homeDomain: string;
  /** `G…`. */
  signingKey: string;
  webAuthEndpoint: string;
  transferServer: string;
  assetCode: string;
  /** Null for the native asset. */
  assetIssuer: string | null;
  /** `iso4217:NGN`. */
  destinationAsset: string;
}

/** How the anchor wants to be paid, checked against what was quoted. */
export interface PaymentInstructions {
  /** `G…` or `M…`. */
  destination: string;
  /** Plain decimal without trailing zeros. */
  amount: string;
  /** An id without leading zeros, a hash as 64 hex digits; null where the destination is muxed. */
  memo: { type: 'text' | 'id' | 'hash'; value: string } | null;
}

/** A payment that was built. Its hash identifies it on the ledger, signed or not. */
export interface OfframpPayment {
  /** 64 hex digits. */
  hash: string;
  /** Base64 XDR of the envelope. */
  envelope: string;
  /** Whether the envelope carries the wallet's signature. Only then can it have been submitted. */
  signed: boolean;
  /** When the latest ledger closed before it was built, in epoch seconds. */
  builtAt: number;
  /** No ledger that closes after this carries it out; epoch seconds. */
  validUntil: number;
}

interface Agreed {
  version: 1;
  terms: IntentTerms;
  intentHash: string;
  /** The passphrase of the payment's network. Another network does not know the payment. */
  networkPassphrase: string;
  anchor: OfframpAnchor;
  /** The anchor's SEP-10 token. */
  token: string;
}

interface Registered extends Agreed {
  statusCallbackUrl: string;
}

interface Started extends Registered {
  withdrawal: { id: string; url: string };
}

interface Instructed extends Started {
  instructions: PaymentInstructions;
  /**
   * The sequence number of the payment, read from the ledger once. A payment that replaces a lost one has the same number,
   * and one that replaces a failed one the next, so that of several runs from one state only one can pay.
   */
  sequence: string;
  /** Payments that this one replaces, oldest first: lost or failed. */
  earlier: OfframpPayment[];
}

interface Paying extends Instructed {
  payment: OfframpPayment;
}

export type AuthenticatedState = Agreed & { step: 'authenticated' };
export type RegisteredState = Registered & { step: 'registered' };
export type StartedState = Started & { step: 'started' };
export type AttachedState = Started & { step: 'attached' };
export type InstructedState = Instructed & { step: 'instructed' };
export type PayingState = Paying & { step: 'paying' };
export type PaidState = Paying & { step: 'paid' };
export type ReportedState = Paying & { step: 'reported' };
export type EndedState = Paying & { step: 'ended' };

/**
 * All that is needed to go on after a closed tab, as JSON. Keep it like a password until the off-ramp has ended: it holds
 * the nonce of the intent and the token at the anchor. The steps, in order:
 *
 * - `authenticated`: the anchor knows the wallet; nothing is registered.
 * - `registered`: the service knows the intent.
 * - `started`: the anchor has given the withdrawal an id.
 * - `attached`: the service knows the id; the form is to be filled in.
 * - `instructed`: the anchor has said where to pay, and it is what was quoted.
 * - `paying`: the payment is built, first without and then with the wallet's signature, and not yet seen on the ledger.
 * - `paid`: the payment is on the ledger.
 * - `reported`: the service knows the payment, whatever the anchor says of it.
 * - `ended`: there is an outcome.
 */
export type OfframpState =
  | AuthenticatedState
  | RegisteredState
  | StartedState
  | AttachedState
  | InstructedState
  | PayingState
  | PaidState
  | ReportedState
  | EndedState;

export type OfframpStep = OfframpState['step'];

const steps: ReadonlySet<string> = new Set<OfframpStep>([
  'authenticated',
  'registered',
  'started',
  'attached',
  'instructed',
  'paying',
  'paid',
  'reported',
  'ended',
]);

/** Whether the value is a state of this version. Its content is not checked: the store is the wallet's own. */
export function isOfframpState(value: unknown): value is OfframpState {
  const { version, step } = (value ?? {}) as { version?: unknown; step?: unknown };
  return version === 1 && typeof step === 'string' && steps.has(step);
}
