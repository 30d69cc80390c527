import { type CallbackCounts, callbackSignature, createCallbacks } from './callbacks.js';
import type { AnchorContext, FleetSettings } from './context.js';
import { addControls } from './controls.js';
import { simulatedKey, simulatedPartnerToken } from './identity.js';
import { createLedgerWatch } from './ledger-watch.js';
import type { AnchorDefinition, Profile } from './profiles.js';
import { addSep1 } from './sep1.js';
import { addSep6 } from './sep6.js';
import { addSep10 } from './sep10.js';
import { addSep24 } from './sep24.js';
import { addSep38 } from './sep38.js';
import { type SimulatedServer, startSimulatedServer } from './server.js';
import { transactionView } from './transfers.js';
import { createWithdrawals, type Payment, type Withdrawal, type Withdrawals } from './withdrawals.js';

/** A running simulated anchor, and what a test can do with it. */
export interface SimulatedAnchor extends SimulatedServer {
  id: string;
  name: string;
  /** `G…`, the SIGNING_KEY of its stellar.toml. */
  signingKey: string;
  partnerToken: string | null;
  context: AnchorContext;
  /** Changes its profile from the next request on. */
  setProfile(patch: Partial<Profile>): void;
  /** Reports the payment of a withdrawal; throws where it cannot be paid. */
  pay(id: string, payment?: Payment): void;
  /** Overwrites fields of the returned record, and sends a callback: for any status that a test needs. */
  amend(id: string, fields: Record<string, unknown>): void;
  /** The record as `GET /transaction` shows it; throws for an unknown id. */
  transaction(id: string): Record<string, unknown>;
  /** The value of `Signature` on a callback with this body to that host, now. */
  signCallback(host: string, body: string): string;
  callbacks(): CallbackCounts;
  withdrawals: Withdrawals;
  /** Takes the steps that are due by the clock and delivers the callbacks that are due. */
  tick(): Promise<void>;
}

/** Starts one anchor on 127.0.0.1; `saved` are the withdrawals of an earlier run. */
export async function startSimulatedAnchor(
  definition: AnchorDefinition,
  settings: FleetSettings,
  { port, saved }: { port: number; saved: readonly Withdrawal[] },
): Promise<SimulatedAnchor> {
  const { clock } = settings;
  let profile = definition.profile;
  let origin = '';
  const signingKey = simulatedKey(`${definition.id} signing`);
  const partnerToken = definition.partner ? simulatedPartnerToken(definition.id) : null;
  const context: AnchorContext = {
    ...settings,
    definition,
    profile: () => profile,
    origin: () => origin,
    signingKey,
    receivingAccount: simulatedKey(`${definition.id} receiving`).address,
    partnerToken,
  };
  const callbacks = createCallbacks({
    clock,
    key: signingKey,
    header: () => (profile.protocol === 'sep38-old' ? 'X-Stellar-Signature' : 'Signature'),
  });
  const withdrawals = createWithdrawals(context, saved, (changed) => {
    if (changed.callbackUrl === null) return;
    const transaction = transactionView(context, changed);
    callbacks.enqueue(changed.callbackUrl, JSON.stringify({ transaction }));
  });
  const { ledger } = settings;
  const ledgerWatch =
    ledger === undefined ? undefined : createLedgerWatch({ ...ledger, context, withdrawals });

  const server = await startSimulatedServer({
    ...settings,
    addRoutes(route) {
      addSep1(route, context);
      addSep10(route, context);
      addSep38(route, context);
      addSep24(route, context, withdrawals);
      addSep6(route, context, withdrawals);
      addControls(route, context, withdrawals, setProfile);
    },
    profile: () => profile,
    port,
  });
  origin = server.origin;

  function setProfile(patch: Partial<Profile>) {
    profile = { ...profile, ...patch };
  }

  function known(id: string): Withdrawal {
    const found = withdrawals.find(id);
    if (found === undefined) throw new Error(`${definition.id} has no withdrawal ${id}`);
    return found;
  }

  return Object.assign(server, {
    id: definition.id,
    name: definition.name,
    signingKey: signingKey.address,
    partnerToken,
    context,
    withdrawals,
    setProfile,
    pay: (id: string, payment: Payment = {}) => withdrawals.pay(known(id), payment),
    amend: (id: string, fields: Record<string, unknown>) => withdrawals.amend(known(id), fields),
    transaction: (id: string) => transactionView(context, known(id)),
    signCallback: (host: string, body: string) => callbackSignature(signingKey, clock(), host, body),
    callbacks: callbacks.counts,
    async tick() {
      await ledgerWatch?.look();
      withdrawals.advance();
      await callbacks.deliver();
    },
  });
}
