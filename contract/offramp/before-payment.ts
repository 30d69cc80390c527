import type { AnchorTransaction } from '../anchor-documents/transaction.js';
import { isSafeUrl } from './discovery.js';
import { Stop } from './errors.js';
import { orNull, patiently, untilAborted } from './exchange.js';
import { readAccount } from './ledger.js';
import type { Run } from './options.js';
import { beginWithdrawal, readRecord } from './sep24.js';
import { callService, readIntent } from './service.js';
import type {
  AttachedState,
  AuthenticatedState,
  InstructedState,
  RegisteredState,
  StartedState,
} from './state.js';
import { awaitsPayment, checkOpen, instructionsOf } from './still-asked.js';
import { signIntent } from './wallet.js';

export async function register(run: Run, state: AuthenticatedState): Promise<RegisteredState> {
  const { terms, intentHash } = state;
  const intent = await callService(run, ({ intents }, fetchOptions) =>
    intents.createIntent({ body: terms, fetchOptions }),
  );
  if (intent.intentHash !== intentHash) throw new Stop('service_mismatch');
  return { ...state, step: 'registered', statusCallbackUrl: intent.statusCallbackUrl };
}

/** Comes after the registration, because a withdrawal that is older than its intent does not count in the scores. */
export async function startWithdrawal(run: Run, state: RegisteredState): Promise<StartedState> {
  const withdrawal = await beginWithdrawal(run, state);
  if (!isSafeUrl(withdrawal.url, new URL(state.anchor.transferServer).protocol)) {
    throw new Stop('anchor_refused', { detail: 'the URL of its form is not https' });
  }
  const url = new URL(withdrawal.url);
  // SEP-24, "Adding parameters to the URL".
  url.searchParams.set('on_change_callback', state.statusCallbackUrl);
  return { ...state, step: 'started', withdrawal: { id: withdrawal.id, url: url.href } };
}

export async function attach(run: Run, state: StartedState): Promise<AttachedState> {
  const { intentHash, terms, withdrawal } = state;
  const accountSignature = await signIntent(run, intentHash, terms.account);
  const body = {
    nonce: terms.nonce,
    anchorTransactionId: withdrawal.id,
    ...(accountSignature === undefined ? {} : { accountSignature }),
  };
  await callService(run, ({ intents }, fetchOptions) =>
    intents.attachTransaction({ params: { intentHash }, body, fetchOptions }),
  );
  return { ...state, step: 'attached' };
}

/** Opens the anchor's form, and waits until the anchor says where to pay and the service has seen the withdrawal. */
export async function awaitInstructions(run: Run, state: AttachedState): Promise<InstructedState> {
  const endsAt = run.clock() + run.formPatienceMs;
  let opened = false;
  let record = await read(run, state);
  while (record.status !== awaitsPayment) {
    if (record.status === 'incomplete' && !opened) {
      opened = true;
      await openForm(run, state.withdrawal.url);
    }
    if (run.clock() >= endsAt) throw new Stop('form_not_completed');
    await run.wait(run.pollMs, run.signal);
    record = await read(run, state);
  }
  const instructions = instructionsOf(record, state);
  await untilSeen(run, state);
  const { next } = await patiently(run, 'ledger_unavailable', () => readAccount(run, state.terms.account));
  return { ...state, step: 'instructed', instructions, sequence: String(next), earlier: [] };
}

async function openForm(run: Run, url: string): Promise<void> {
  try {
    await untilAborted(run, Promise.resolve(run.open(url)));
  } catch (cause) {
    if (run.signal?.aborted) throw cause;
    throw new Stop('form_not_opened', { cause });
  }
}

/** The record of a withdrawal that can still be paid. */
async function read(run: Run, state: AttachedState): Promise<AnchorTransaction> {
  const record = await patiently(run, 'anchor_unavailable', () => readRecord(run, state));
  run.onStatus(record.status);
  checkOpen(record.status);
  return record;
}

/** Waits, but not for ever: an outcome counts only if the service saw the withdrawal before it was paid. */
async function untilSeen(run: Run, { intentHash }: AttachedState): Promise<void> {
  const endsAt = run.clock() + run.seenPatienceMs;
  for (;;) {
    const intent = await orNull(readIntent(run, intentHash));
    if (intent?.transaction?.status === awaitsPayment || run.clock() >= endsAt) return;
    await run.wait(run.pollMs, run.signal);
  }
}
