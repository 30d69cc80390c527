import { callbackSignature, createCallbacks } from './callbacks.js';
import type { AnchorContext, FleetSettings } from './context.js';
import { addControls } from './controls.js';
import { simulatedKey, simulatedPartnerToken } from './identity.js';
import { createLedgerWatch } from './ledger-watch.js';
import type { AnchorDefinition, Profile } from './profiles.js';
import { addSep1, addSep10 } from './sep10.js';
import { addSep38 } from './sep38.js';
import { startSimulatedServer } from './server.js';
import { addSep6, addSep24, transactionView } from './transfers.js';
import { createWithdrawals, type Payment, type Withdrawal } from './withdrawals.js';

/** A running simulated anchor, and what a test can do with it. */
export type SimulatedAnchor = Awaited<ReturnType<typeof startSimulatedAnchor>>;

/** Starts one anchor on 127.0.0.1. */
export async function startSimulatedAnchor(
  definition: AnchorDefinition,
  settings: FleetSettings,
  port: number,
) {
  const { id, name } = definition;
  const { clock, ledger } = settings;
  let profile = definition.profile;
  let origin = '';
  const key = simulatedKey(`${id} signing`);
  const partnerToken = definition.partner ? simulatedPartnerToken(id) : null;
  const context: AnchorContext = {
    ...settings,
    definition,
    profile: () => profile,
    origin: () => origin,
    signingKey: key,
    receivingAccount: simulatedKey(`${id} receiving`).publicKey(),
    partnerToken,
  };
  const header = () => (profile.protocol === 'sep38-old' ? 'X-Stellar-Signature' : 'Signature');
  const callbacks = createCallbacks({ clock, key, header });
  const withdrawals = createWithdrawals(context, (changed) => {
    if (changed.callbackUrl === null) return;
    const transaction = transactionView(context, changed);
    callbacks.enqueue(changed.callbackUrl, JSON.stringify({ transaction }));
  });
  const lookAtLedger = ledger && createLedgerWatch(ledger, context, withdrawals);

  const server = await startSimulatedServer({
    ...settings,
    addRoutes(route) {
      addSep1(route, context);
      addSep10(route, context);
      addSep38(route, context);
      addSep24(route, context, withdrawals);
      addSep6(route, context, withdrawals);
      addControls(route, context, withdrawals);
    },
    profile: () => profile,
    port,
  });
  origin = server.origin;

  function known(withdrawalId: string): Withdrawal {
    const found = withdrawals.find(withdrawalId);
    if (found === undefined) throw new Error(`${id} has no withdrawal ${withdrawalId}`);
    return found;
  }

  return Object.assign(server, {
    id,
    name,
    /** `G…`, the SIGNING_KEY of its stellar.toml. */
    signingKey: key.publicKey(),
    partnerToken,
    context,
    withdrawals,
    /** Changes its profile from the next request on. */
    setProfile(patch: Partial<Profile>) {
      profile = { ...profile, ...patch };
    },
    /** Reports the payment of a withdrawal; throws where it cannot be paid. */
    pay: (of: string, payment: Payment = {}) => withdrawals.pay(known(of), payment),
    /** Overwrites fields of the returned record, and sends a callback: for any status that a test needs. */
    amend: (of: string, fields: Record<string, unknown>) => withdrawals.amend(known(of), fields),
    /** The value of `Signature` on a callback with this body to that host, now. */
    signCallback: (host: string, body: string) => callbackSignature(key, clock(), host, body),
    callbacks: callbacks.counts,
    /** Takes the steps that are due by the clock and delivers the callbacks that are due. */
    async tick() {
      lookAtLedger?.();
      withdrawals.advance();
      await callbacks.deliver();
    },
  });
}
