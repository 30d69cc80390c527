import { randomBytes } from 'node:crypto';
import { intentHash as hashOf } from '../../../contract/verification/intent-hash.js';
import { addressIn } from '../../lib/addresses.js';
import { around } from '../lib/generator/requests.js';

/** What the requests of the soak do, in parts of a thousand. Nine of ten bring an amount that was never sent before. */
export const mix = {
  /** Rates for a new amount. */
  rates: 850,
  /** Public reads that are answered from the cache. */
  reads: 60,
  /** Registrations, each for a new amount. */
  register: 45,
  /** Reads of intents that were registered before. */
  'read intent': 40,
  /** Test events, each of which becomes a delivery. */
  webhook: 5,
} as const;

export type RequestKind = keyof typeof mix;

/** 503: the anchors' budgets are used up, and nobody asked for this amount within the last minute. */
export const expectedStatuses: Record<RequestKind, ReadonlySet<number>> = {
  rates: new Set([200, 503]),
  reads: new Set([200]),
  register: new Set([201]),
  'read intent': new Set([200]),
  webhook: new Set([202]),
};

/** A registration may wait for its turn at the anchors, by design for up to two seconds, so its latency says little. */
export const waitsInTurn = (kind: RequestKind): boolean => kind === 'register';

export interface MixedRequest {
  kind: RequestKind;
  /** The request in the form in which it is written to a connection. */
  text: string;
  /** Present in a registration: `remember` is called with it after the answer. */
  intentHash?: string;
}

export interface MixOptions {
  host: string;
  account: string;
  adminKey: string;
  webhookId: string;
}

const cachedPaths = [
  '/api/rates/usdc-ngn',
  '/api/corridors',
  '/api/snapshot',
  '/api/reputation/leaderboard',
  '/v1/public/scores',
];
/** From the service's network 12.0.0.0/8 on. */
const firstNetwork = 12;
const addressesOfNetwork = 1 << 24;
const rememberedIntents = 10_000;
const total = Object.values(mix).reduce((sum, part) => sum + part, 0);

/** Creates requests, each with a new client address, and most with a new amount. */
export function createMix({ host, account, adminKey, webhookId }: MixOptions) {
  let addresses = 0;
  let amounts = 0;
  const registered: string[] = [];

  function newAddress(): string {
    const number = addresses++;
    return addressIn(firstNetwork + Math.floor(number / addressesOfNetwork), number % addressesOfNetwork);
  }

  /** 10.000, 10.001, … within the bounds of the corridor for almost ten million of them. */
  function newAmount(): string {
    const thousandths = 10_000 + amounts++;
    return `${Math.floor(thousandths / 1_000)}.${String(thousandths % 1_000).padStart(3, '0')}`;
  }

  function made(kind: RequestKind, shape: Parameters<typeof around>[0], intentHash?: string): MixedRequest {
    const [before, after] = around(shape, host);
    return { kind, text: before + newAddress() + after, ...(intentHash === undefined ? {} : { intentHash }) };
  }

  const json = { 'content-type': 'application/json' };
  const make: Record<RequestKind, () => MixedRequest> = {
    rates: () => made('rates', { path: `/api/rates/usdc-ngn?amount=${newAmount()}` }),
    reads: () => made('reads', { path: cachedPaths[addresses % cachedPaths.length] ?? '/' }),
    register() {
      const nonce = randomBytes(24).toString('base64url');
      const terms = { corridor: 'usdc-ngn', anchorId: 'harbour', account, sellAmount: newAmount(), nonce };
      const body = JSON.stringify(terms);
      const shape = { method: 'POST', path: '/api/intent/offramp', headers: json, body } as const;
      return made('register', shape, hashOf(terms));
    },
    'read intent'() {
      const intentHash = registered[Math.floor(Math.random() * registered.length)];
      return intentHash === undefined
        ? make.register()
        : made('read intent', { path: `/api/intent/${intentHash}` });
    },
    webhook: () =>
      made('webhook', {
        method: 'POST',
        path: `/api/admin/webhooks/${webhookId}/test`,
        headers: { ...json, 'x-admin-key': adminKey },
        body: '{}',
      }),
  };

  return {
    next(): MixedRequest {
      let left = Math.random() * total;
      for (const [kind, part] of Object.entries(mix) as [RequestKind, number][]) {
        left -= part;
        if (left < 0) return make[kind]();
      }
      return make.rates();
    },
    /** The intent exists now: it can be read. */
    remember(intentHash: string): void {
      if (registered.length < rememberedIntents) registered.push(intentHash);
      else registered[Math.floor(Math.random() * rememberedIntents)] = intentHash;
    },
    used: () => ({ addresses, amounts }),
  };
}

export type Mix = ReturnType<typeof createMix>;
