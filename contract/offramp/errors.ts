import type { OfframpState } from './state.js';

/** What is known of the money when an off-ramp stops. */
export const moneyMovements = {
  no: 'Nothing was paid.',
  unknown: 'A payment was signed and may have been submitted; resume to find out. Never start anew before.',
  yes: 'The payment is on the ledger.',
  returned: 'The payment was made and the anchor says that it sent the funds back.',
} as const;

export type MoneyMoved = keyof typeof moneyMovements;

/** Every way an off-ramp can stop without a payout, and when exactly each code is given. */
export const offrampErrors = {
  unexpected: 'Something that has no code of its own; the error is the `cause`.',
  arguments_invalid: 'An argument is missing or not of its type; `detail` says which.',
  aborted: 'The signal that was passed aborted; its reason is the `cause`.',
  state_invalid: 'What was passed to `resumeOfframp` is not a state of this version.',
  state_not_saved: '`onState` failed, so the next step was not taken; its error is the `cause`.',
  account_unsupported: "The wallet's address is not a `G…` account.",
  service_unavailable:
    'The service could not be reached, or refused for the moment, for as long as `patienceMs`.',
  service_refused: 'The service refused a request; `detail` is its error code.',
  service_mismatch: 'The service registered other terms, or another payment, than it was sent.',
  anchor_unavailable:
    'The anchor could not be reached, or answered with errors, for as long as `patienceMs`.',
  anchor_refused: 'The anchor refused a request; `detail` is the status and what it said.',
  not_offered:
    'The anchor offers no SEP-24 withdrawal in this corridor, or publishes no stellar.toml or SEP-10 endpoint. A redirect of stellar.toml is not followed.',
  toml_invalid:
    'The stellar.toml of the anchor is not TOML, or lacks an address or a key; `detail` is the line or the field.',
  signing_key_mismatch:
    'The SIGNING_KEY of the stellar.toml is not the one that the service knows the anchor by.',
  wrong_network:
    'The anchor, the ledger or the state is of another network than `networkPassphrase`; `detail` is that network.',
  challenge_invalid:
    'The SEP-10 challenge must not be signed; `detail` says which check failed (`challengeFaults`).',
  wallet_refused: 'The wallet did not give its address or a signature; its error is the `cause`.',
  wallet_changed_transaction: 'The wallet returned another transaction than the one it was asked to sign.',
  signature_missing:
    "The wallet returned the transaction without a valid signature by the account's own key; `detail` is the account.",
  other_account: "The wallet's address is not the account of the state; `detail` is the wallet's.",
  form_not_opened: '`open` failed; its error is the `cause`.',
  form_not_completed: "The anchor's form was not completed within `formPatienceMs`.",
  withdrawal_ended: 'The anchor closed the withdrawal before it was paid; `detail` is its status.',
  payment_refused:
    'What the anchor asks for is not what was quoted; `detail` says what (`instructionFaults`).',
  instructions_changed: 'The anchor changed where or how to pay after it had said so.',
  payment_not_asked:
    'The anchor does not ask for the payment at the moment; `detail` is its status. Resume to try again.',
  not_followed:
    'The service does not hold this withdrawal for the intent, or the intent has ended; `detail` says which problem or reason.',
  already_paid:
    'The service was told of a payment of the intent that this state does not know: another run made it, or was about to.',
  sequence_taken:
    "Another transaction of the account took the payment's place on the ledger. Look at the account's history; start anew only if the anchor was not paid.",
  account_not_found: 'The account does not exist on the ledger.',
  ledger_unavailable:
    'The ledger could not be reached, or closed no ledger while a payment was awaited, for as long as `patienceMs`.',
  payment_rejected:
    'The ledger did not accept the payment; `detail` is its result code. Resume to try again.',
  payment_failed: 'The payment was carried out and failed: nothing was paid. Resume to try again.',
  payment_unknown:
    'The payment is older than what the ledger source still holds, so nothing can be said of it.',
  anchor_error: 'After the payment the anchor says `error`. It may still recover: resume to follow it on.',
  refunded: 'The anchor sent the funds back.',
  not_paid_out:
    "The intent ended without a payout; `detail` is the reason (`outcomeReasons`), or the anchor's last word. It may still be paid out: resume to ask again.",
} as const;

export type OfframpErrorCode = keyof typeof offrampErrors;

/** Resuming does not help after these: there is nothing to resume, it has ended, or a person has to look first. */
const finalCodes: ReadonlySet<OfframpErrorCode> = new Set<OfframpErrorCode>([
  'arguments_invalid',
  'state_invalid',
  'account_unsupported',
  'service_refused',
  'service_mismatch',
  'not_offered',
  'withdrawal_ended',
  'payment_refused',
  'instructions_changed',
  'not_followed',
  'already_paid',
  'sequence_taken',
  'payment_unknown',
  'refunded',
]);

/** Thrown inside the steps; the driver adds the state and what became of the money. */
export class Stop extends Error {
  constructor(
    readonly code: OfframpErrorCode,
    readonly options: { detail?: string; moneyMoved?: MoneyMoved; cause?: unknown } = {},
  ) {
    super(code, { cause: options.cause });
  }
}

/** Why an off-ramp stopped, whether money has moved, and the state from which it can be resumed. */
export class OfframpError extends Error {
  readonly code: OfframpErrorCode;
  readonly moneyMoved: MoneyMoved;
  /** The detail that the text of the code describes; null for other codes. */
  readonly detail: string | null;
  /** The state to resume from; null if there was none yet: then nothing was registered or paid. */
  readonly state: OfframpState | null;
  /** Whether passing `state` to `resumeOfframp` may help, at once or later. */
  readonly resumable: boolean;

  constructor(
    code: OfframpErrorCode,
    of: { moneyMoved: MoneyMoved; state: OfframpState | null; detail?: string | undefined; cause?: unknown },
  ) {
    const detail = of.detail === undefined ? '' : ` (${of.detail})`;
    super(`${offrampErrors[code]}${detail} ${moneyMovements[of.moneyMoved]}`, { cause: of.cause });
    this.name = 'OfframpError';
    this.code = code;
    this.moneyMoved = of.moneyMoved;
    this.detail = of.detail ?? null;
    this.state = of.state;
    this.resumable = of.state !== null && !finalCodes.has(code);
  }
}
