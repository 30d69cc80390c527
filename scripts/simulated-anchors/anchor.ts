import type { Clock, Random } from '../../server/ports.js';
import { type CallbackCounts, callbackSignature, createCallbacks } from './callbacks.js';
import type { AnchorContext } from './context.js';
import { controlRoutes } from './controls.js';
import { simulatedKey, simulatedPartnerToken } from './keys.js';
import { createQuotes, quoteRoutes } from './quotes.js';
import { sep1Routes } from './sep1.js';
import { sep6Routes } from './sep6.js';
import { sep24Routes } from './sep24.js';
import { sep38Routes } from './sep38.js';
import { type LoopbackServer, startLoopbackServer } from './server.js';
import { transactionView } from './transaction-view.js';
import { createWithdrawals, type Payment, type Withdrawals } from './transactions.js';
import type { AnchorDefinition, Temper } from './types.js';
import type { Withdrawal } from './withdrawal.js';

/** A running simulated anchor, and the hands a test has on it. */
export interface SimulatedAnchor extends LoopbackServer {
  id: string;
  name: string;
  /** `G…`, the SIGNING_KEY of its stellar.toml. */
  signingKey: string;
  partnerToken: string | null;
  context: AnchorContext;
  /** Changes its temper from the next request on. */
  setTemper(patch: Partial<Temper>): void;
  /** The payment of a withdrawal arrived; throws where it cannot have. */
  pay(id: string, payment?: Payment): void;
  /** Puts fields over the record as it is shown, and sends a callback: any status a test needs. */
  amend(id: string, fields: Record<string, unknown>): void;
  /** The record as `GET /transaction` shows it; throws for an unknown id. */
  transaction(id: string): Record<string, unknown>;
  /** The value of `Signature` on a callback of this body to that host, now. */
  signCallback(host: string, body: string): string;
  callbacks(): CallbackCounts;
  withdrawals: Withdrawals;
  /** Takes the steps that are due by the clock and delivers the callbacks that are; resolves when all is done. */
  tick(): Promise<void>;
}

export interface AnchorWorld {
  clock: Clock;
  random: Random;
  seed: string;
  pace: number;
  latencyFactor: number;
}

function contextOf(
  definition: AnchorDefinition,
  { clock, random, seed, pace }: AnchorWorld,
  now: { temper(): Temper; origin(): string },
): AnchorContext {
  return {
    definition,
    ...now,
    clock,
    random,
    seed,
    pace,
    signingKey: simulatedKey(`${definition.id} signing`),
    receivingAccount: simulatedKey(`${definition.id} receiving`).address,
    partnerToken: definition.partner ? simulatedPartnerToken(definition.id) : null,
  };
}

/** Starts one anchor on 127.0.0.1; `saved` are the withdrawals it had. */
export async function startSimulatedAnchor(
  definition: AnchorDefinition,
  world: AnchorWorld,
  { port, saved }: { port: number; saved: readonly Withdrawal[] },
): Promise<SimulatedAnchor> {
  const { clock, random, latencyFactor } = world;
  let temper = definition.temper;
  let origin = '';
  const context = contextOf(definition, world, { temper: () => temper, origin: () => origin });
  const { signingKey, partnerToken } = context;

  const callbacks = createCallbacks({
    clock,
    key: signingKey,
    header: () => (temper.protocol === 'sep38-old' ? 'X-Stellar-Signature' : 'Signature'),
  });
  const withdrawals = createWithdrawals(context, (changed) => {
    if (changed.callbackUrl === null) return;
    callbacks.enqueue(
      changed.callbackUrl,
      JSON.stringify({ transaction: transactionView(context, changed) }),
    );
  });
  withdrawals.restore(saved);
  const quotes = createQuotes();

  const server = await startLoopbackServer({
    routes: [
      ...sep1Routes(context),
      ...sep38Routes(context),
      ...quoteRoutes(context, quotes),
      ...sep24Routes(context, withdrawals, quotes),
      ...sep6Routes(context, withdrawals, quotes),
      ...controlRoutes(context, withdrawals),
    ],
    temper: () => temper,
    clock,
    random,
    port,
    latencyFactor,
  });
  origin = server.origin;

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
    setTemper(patch: Partial<Temper>) {
      temper = { ...temper, ...patch };
    },
    pay(id: string, payment: Payment = {}) {
      const fault = withdrawals.pay(known(id), payment);
      if (fault !== null) throw new Error(fault);
    },
    amend: (id: string, fields: Record<string, unknown>) => withdrawals.amend(known(id), fields),
    transaction: (id: string) => transactionView(context, known(id)),
    signCallback: (host: string, body: string) => callbackSignature(signingKey, clock(), host, body),
    callbacks: callbacks.counts,
    async tick() {
      withdrawals.advance();
      await callbacks.deliver();
    },
  });
}
