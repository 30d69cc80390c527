import { setTimeout as delay } from 'node:timers/promises';
import {
  OfframpError,
  type OfframpState,
  resumeOfframp,
  startOfframp,
} from '../../contract/offramp/index.js';
import { signDispute } from '../../contract/verification/sign-dispute.js';
import type { Random } from '../../server/ports.js';
import { pick, randomBytes } from '../lib/random.js';
import type { Ending } from '../simulated-anchors/profiles.js';
import { simulatedNetwork } from '../simulated-ledger/payments.js';
import { walletOf } from '../simulated-wallets/off-ramp.js';
import type { ServiceClient } from './service-client.js';
import { anchorIds, corridor, receiverSecret, type Surroundings } from './surroundings.js';

/** What the service acknowledged, in the order in which it did. */
export interface Acknowledged {
  /** Terms of the intents, by hash. */
  intents: Map<string, { anchorId: string; account: string; sellAmount: string }>;
  /** The paid ones, with the ending that the anchor was told to bring about. */
  paid: Map<string, Ending>;
  /** Disputes by id, with their intent and the decision. */
  disputes: Map<string, { intentHash: string; decision: 'accept' | 'reject' | undefined }>;
  /** Webhooks by their receiver's name, and the intents that were acknowledged later. */
  webhooks: Map<string, { id: string; later: Set<string> }>;
  /** Hashes of the headers of batches that were shown, by sequence. */
  batches: Map<number, string>;
  /** When ticks ran. */
  ticks: { startedAt: string; finishedAt: string }[];
  /** Refusals that the service should not have given. */
  refused: string[];
}

const offRampsAtOnce = 6;
const unpaidEveryMs = 200;
/** An intent whose payment is being tried again may be past that state. */
const mostLooks = 60;
/** Unpaid intents come from so few clients that an instance mostly counts their limits without the database. */
const regularClients = 16;
/** None that an error decides, since that takes a day. */
const endings: readonly Ending[] = [
  ...Array<Ending>(12).fill('complete'),
  'refund',
  'refund',
  'refund',
  'recover',
];
const expectedStops = new Set(['refunded', 'not_paid_out', 'anchor_error']);

/** `signal` ends everything at once. */
export function createTraffic(deps: {
  client: ServiceClient;
  surroundings: Surroundings;
  random: Random;
  signal: AbortSignal;
}) {
  const { surroundings, random, signal } = deps;
  const { service, once } = deps.client;
  const acknowledged: Acknowledged = {
    intents: new Map(),
    paid: new Map(),
    disputes: new Map(),
    webhooks: new Map(),
    batches: new Map(),
    ticks: [],
    refused: [],
  };

  function acknowledge(intentHash: string, terms: { anchorId: string; account: string; sellAmount: string }) {
    if (acknowledged.intents.has(intentHash)) return;
    acknowledged.intents.set(intentHash, terms);
    for (const { later } of acknowledged.webhooks.values()) later.add(intentHash);
  }

  /** An intent that nobody pays; it expires within the run. */
  async function registerUnpaid(): Promise<void> {
    const terms = {
      corridor,
      anchorId: pick(random, anchorIds),
      account: walletOf(randomBytes(random, 32)).account,
      sellAmount: String(10 + Math.floor(random() * 90)),
      nonce: Buffer.from(randomBytes(random, 24)).toString('base64url'),
    };
    const from = `11.0.0.${Math.floor(random() * regularClients)}`;
    const extraHeaders = { 'x-forwarded-for': from };
    const { status, body } = await service.intents.createIntent({ body: terms, extraHeaders });
    if (status === 200 || status === 201) acknowledge(body.intentHash, terms);
    else acknowledged.refused.push(`An intent was refused with ${status} ${body.code}.`);
  }

  /** A wallet that sells by `startOfframp`, and perhaps disputes what became of it. */
  async function offRamp(): Promise<void> {
    const seed = randomBytes(random, 32);
    const wallet = walletOf(seed);
    const anchorId = pick(random, anchorIds);
    const ending = pick(random, endings);
    const sellAmount = String(20 + Math.floor(random() * 400));
    let latest: OfframpState | undefined;
    const options = {
      service: once(),
      rpcUrl: surroundings.ledger.rpcUrl,
      networkPassphrase: simulatedNetwork,
      pollMs: 1_000,
      signal,
      open: async (url: string) => void (await (await fetch(url, { signal })).text()),
      async onState(state: OfframpState) {
        latest = state;
        if (state.step === 'registered')
          acknowledge(state.intentHash, { anchorId, account: wallet.account, sellAmount });
        if (state.step === 'started') {
          const { withdrawals } = surroundings.anchors.anchor(anchorId);
          const withdrawal = withdrawals.find(state.withdrawal.id);
          if (withdrawal !== undefined) withdrawals.choose(withdrawal, ending);
        }
        if (state.step === 'instructed') await untilInstructed(state.intentHash);
        if (state.step === 'reported') acknowledged.paid.set(state.intentHash, ending);
      },
    };
    let stop = await stopOf(startOfframp({ corridor, anchorId, sellAmount }, wallet, options));
    while (stop?.resumable && !expectedStops.has(stop.code) && stop.state !== null) {
      await delay(1_000, undefined, { signal });
      stop = await stopOf(resumeOfframp(stop.state, wallet, options));
    }
    const hash = latest?.intentHash;
    if (hash === undefined || !acknowledged.paid.has(hash)) return;
    const outcome = await outcomeOf(hash);
    if (outcome?.status === 'settled' && random() < 0.4) await dispute(hash, anchorId, seed);
  }

  /**
   * Until the service has read where to pay, which the anchor tells only while it waits for the money: a payment that
   * closed before that cannot be verified.
   */
  async function untilInstructed(intentHash: string): Promise<void> {
    for (let looks = 0; looks < mostLooks; looks += 1) {
      const { status, body } = await service.intents.getIntent({ params: { intentHash } });
      if (status === 200 && body.transaction?.status === 'pending_user_transfer_start') return;
      await delay(1_000, undefined, { signal });
    }
  }

  async function stopOf(offRamp: Promise<unknown>): Promise<OfframpError | undefined> {
    try {
      await offRamp;
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OfframpError) return error;
      throw error;
    }
  }

  /** Undefined for an intent that stays lost; for a moment after a fail-over, one may be a 404. */
  async function outcomeOf(intentHash: string) {
    for (let lost = 0; lost < 10; ) {
      const { status, body } = await service.intents.getIntent({ params: { intentHash } });
      if (status === 200 && body.outcome !== null) return body.outcome;
      lost = status === 404 ? lost + 1 : 0;
      await delay(1_500, undefined, { signal });
    }
    return undefined;
  }

  async function dispute(intentHash: string, anchorId: string, secretKey: Uint8Array): Promise<void> {
    const body = signDispute({ intentHash, anchorId, reason: 'This is not what was agreed.', secretKey });
    const filed = await service.disputes.fileDispute({ body });
    if (filed.status !== 200 && filed.status !== 201) {
      acknowledged.refused.push(
        `A dispute of ${intentHash} was refused with ${filed.status} ${filed.body.code}.`,
      );
      return;
    }
    const { id } = filed.body;
    const decision = random() < 0.5 ? ('accept' as const) : ('reject' as const);
    acknowledged.disputes.set(id, { intentHash, decision: undefined });
    await delay(3_000 * random(), undefined, { signal });
    const decided = await service.adminDisputes.resolveDispute({ body: { id, action: decision } });
    // The answer to the first try may have been lost.
    if (decided.status === 200 || decided.body.code === 'DISPUTE_RESOLVED')
      acknowledged.disputes.set(id, { intentHash, decision });
    else acknowledged.refused.push(`The decision on ${id} was refused with ${decided.body.code}.`);
  }

  async function registerWebhook(name: string): Promise<void> {
    const ofOthers = ['dispute.created', 'dispute.resolved', 'publisher.tick'] as const;
    const events = ['intent.settled' as const, 'intent.failed' as const, ...ofOthers];
    const webhook = { url: surroundings.receiverUrl(name), events, secret: receiverSecret };
    const { status, body } = await service.webhooks.createWebhook({ body: webhook });
    if (status === 201) acknowledged.webhooks.set(name, { id: body.id, later: new Set() });
    else acknowledged.refused.push(`A webhook was refused with ${status} ${body.code}.`);
  }

  async function tick(url?: string): Promise<void> {
    const answer = await once(url)
      .publisher.tickPublisher()
      .catch(() => undefined);
    if (answer?.status !== 200) return;
    const { startedAt, finishedAt, batch } = answer.body;
    acknowledged.ticks.push({ startedAt, finishedAt });
    if (batch !== null) acknowledged.batches.set(batch.header.sequence, batch.headerHash);
  }

  const jobs = [
    [6_000, () => once().reputation.refreshReputation()],
    [4_000, () => once().reconcile.reconcile()],
    [8_000, () => tick()],
    [500, () => once().rates.getRates({ params: { corridor } })],
  ] as const;

  return {
    acknowledged,
    /** Ticks at each of these instances at once. */
    tickEverywhere: async (urls: readonly string[]) => void (await Promise.all(urls.map(tick))),
    /** Runs until `noMore` is aborted and everything that was begun has ended. */
    async run(noMore: AbortSignal): Promise<void> {
      for (const name of ['steady-1', 'slow-1', 'flaky-1']) await registerWebhook(name);
      const begun = new Set<Promise<void>>();
      async function repeat(everyMs: number, work: () => Promise<unknown>): Promise<void> {
        while (!noMore.aborted) {
          await work().catch(() => undefined);
          await delay(everyMs, undefined, { signal });
        }
      }
      const unpaid = () => {
        const one = registerUnpaid().finally(() => begun.delete(one));
        begun.add(one);
        return Promise.resolve();
      };
      await Promise.all([
        ...Array.from({ length: offRampsAtOnce }, async () => {
          while (!noMore.aborted) await offRamp();
        }),
        repeat(unpaidEveryMs, unpaid),
        ...jobs.map(([everyMs, work]) => repeat(everyMs, work)),
        delay(45_000, undefined, { signal }).then(() => registerWebhook('steady-2')),
      ]);
      await Promise.all(begun);
    },
  };
}
