import { setTimeout as delay } from 'node:timers/promises';
import { unwrap } from '../../contract/client/fairlead-error.js';
import type { IntentAnswer } from '../../contract/schemas/intents.js';
import type { Ending } from '../simulated-anchors/profiles.js';
import { checkService } from '../verify-service/check.js';
import type { ServiceClient } from './service-client.js';
import { anchorIds, type Delivery, type Surroundings } from './surroundings.js';
import type { Acknowledged } from './traffic.js';

/** What must hold, and every place where it does not. */
export interface Check {
  name: string;
  faults: string[];
}

/** Undefined for an intent that is lost. */
type ReadIntents = ReadonlyMap<string, IntentAnswer | undefined>;

/** How an intent may end that the anchor was told to end like this. */
const endedAs: Partial<Record<Ending, readonly string[]>> = {
  complete: ['settled completed'],
  refund: ['failed refunded'],
  // The anchor completes it before its error has stood for a day.
  recover: ['settled completed'],
};

/** Waits until nothing is left to do; what is still left after the deadline is a fault. */
export async function settle(
  client: ServiceClient,
  acknowledged: Acknowledged,
  deadlineMs: number,
): Promise<Check> {
  for (;;) {
    const left = await unfinished(client, acknowledged);
    if (left.length === 0 || Date.now() > deadlineMs)
      return { name: 'everything comes to rest', faults: left };
    await delay(2_000);
  }
}

async function unfinished({ service }: ServiceClient, { paid, webhooks }: Acknowledged): Promise<string[]> {
  const left: string[] = [];
  for (const [intentHash, ending] of paid) {
    const { status, outcome } = unwrap(await service.intents.getIntent({ params: { intentHash } }));
    const isOpen = ending === 'recover' && status !== 'settled';
    // A record may end the intent before the wallet has named its payment, which is looked up after that.
    if (isOpen || outcome?.evidence !== 'ledger')
      left.push(`${intentHash}, to ${ending}, is ${status} (${outcome?.evidence}).`);
  }
  for (const { id } of webhooks.values()) {
    for (const state of ['pending', 'held', 'refused', 'exhausted'] as const) {
      const page = await service.webhooks.listDeliveries({ params: { id }, query: { state } });
      for (const delivery of unwrap(page).items) {
        left.push(`A delivery of ${id} is ${state}.`);
        const later = delivery.nextAttemptAt === null ? 0 : Date.parse(delivery.nextAttemptAt) - Date.now();
        if (state === 'exhausted' || state === 'refused' || later > 5_000)
          await service.webhooks.resendDelivery({ params: { id, deliveryId: delivery.id } });
      }
    }
  }
  await service.reconcile.reconcile();
  await service.reputation.refreshReputation();
  await service.publisher.tickPublisher();
  const health = unwrap(await service.publisher.getPublisherHealth());
  if (health.status !== 'ok') left.push(`The publisher is ${health.status}: ${health.reason}.`);
  return left;
}

/** Compares what was acknowledged with what the service, the oracle and the receivers have. */
export async function compare(deps: {
  client: ServiceClient;
  acknowledged: Acknowledged;
  surroundings: Surroundings;
}): Promise<Check[]> {
  const { client, acknowledged, surroundings } = deps;
  const read = new Map<string, IntentAnswer | undefined>();
  for (const intentHash of acknowledged.intents.keys()) {
    const { status, body } = await client.service.intents.getIntent({ params: { intentHash } });
    read.set(intentHash, status === 200 ? body : undefined);
  }
  return [
    { name: 'no answer is a 500', faults: [...client.failures] },
    { name: 'nothing is refused that is in order', faults: acknowledged.refused },
    { name: 'no two ticks run at a time', faults: overlapsOf(acknowledged.ticks) },
    { name: 'acknowledged intents are kept', faults: lostIntents(acknowledged, read) },
    { name: 'paid intents end as the anchor ended them', faults: wrongEndings(acknowledged, read) },
    { name: 'disputes are kept, with their decisions', faults: await lostDisputes(client, acknowledged) },
    { name: 'the reputation counts each outcome once', faults: await wrongCounts(client, read) },
    {
      name: 'events are delivered, with one body each',
      faults: wrongDeliveries(acknowledged, read, surroundings.deliveries),
    },
    {
      name: 'the published log is one chain, and the oracle has it',
      faults: await brokenChain(client, acknowledged, surroundings),
    },
  ];
}

function overlapsOf(ticks: Acknowledged['ticks']): string[] {
  const inOrder = [...ticks].sort((a, b) => a.startedAt.localeCompare(b.startedAt));
  return inOrder.flatMap((tick, index) => {
    const before = inOrder[index - 1];
    if (before === undefined || before.finishedAt <= tick.startedAt) return [];
    return [`One began at ${tick.startedAt}, during another.`];
  });
}

function lostIntents({ intents }: Acknowledged, read: ReadIntents): string[] {
  return [...intents].flatMap(([intentHash, { anchorId, account, sellAmount }]) => {
    const found = read.get(intentHash);
    if (found === undefined) return [`${intentHash} was acknowledged and is lost.`];
    const isSame =
      found.anchorId === anchorId && found.account === account && found.sellAmount === sellAmount;
    return isSame ? [] : [`${intentHash} has other terms than were acknowledged.`];
  });
}

function wrongEndings({ paid }: Acknowledged, read: ReadIntents): string[] {
  return [...paid].flatMap(([intentHash, ending]) => {
    const outcome = read.get(intentHash)?.outcome;
    const ended = `${outcome?.status} ${outcome?.reason}`;
    const isRight = endedAs[ending]?.includes(ended) === true && outcome?.evidence === 'ledger';
    return isRight ? [] : [`${intentHash}, to ${ending}, ended as ${ended} (${outcome?.evidence}).`];
  });
}

async function lostDisputes({ service }: ServiceClient, { disputes }: Acknowledged): Promise<string[]> {
  const faults: string[] = [];
  for (const [id, { decision }] of disputes) {
    const answer = await service.adminDisputes.getDispute({ params: { id } });
    const found = answer.status === 200 ? answer.body.status : answer.body.code;
    const wanted = decision === undefined ? ['open', 'accepted', 'rejected'] : [`${decision}ed`];
    if (!wanted.includes(found)) faults.push(`${id} is ${found}.`);
  }
  return faults;
}

async function wrongCounts({ service }: ServiceClient, read: ReadIntents): Promise<string[]> {
  const faults: string[] = [];
  for (const anchorId of anchorIds) {
    const ours = [...read.values()].filter((intent) => intent?.anchorId === anchorId);
    const filled = ours.filter((intent) => intent?.outcome?.counts === 'filled').length;
    const outcomes = filled + ours.filter((intent) => intent?.outcome?.counts === 'not_filled').length;
    const of = { params: { anchor: anchorId }, query: { window: '7' } } as const;
    const counted = unwrap(await service.reputation.getReputation(of));
    if (counted.filled !== filled || counted.outcomes !== outcomes)
      faults.push(
        `${anchorId}: ${counted.filled} of ${counted.outcomes} are counted, and there are ${filled} of ${outcomes}.`,
      );
  }
  return faults;
}

function wrongDeliveries(
  { webhooks, disputes }: Acknowledged,
  read: ReadIntents,
  deliveries: readonly Delivery[],
): string[] {
  const faults = deliveries.flatMap(({ eventId, fault }) => (fault === null ? [] : [`${eventId}: ${fault}`]));
  const bodies = new Map<string, string>();
  for (const { eventId, body } of deliveries) {
    if ((bodies.get(eventId) ?? body) !== body) faults.push(`${eventId} was delivered with two bodies.`);
    bodies.set(eventId, body);
  }
  for (const [name, { later }] of webhooks) {
    const got = new Set(
      deliveries.filter(({ webhook }) => webhook === name).map(({ event, about }) => `${event} ${about}`),
    );
    for (const intentHash of later) {
      const status = read.get(intentHash)?.status;
      if ((status === 'settled' || status === 'failed') && !got.has(`intent.${status} ${intentHash}`))
        faults.push(`No delivery was made to ${name} of intent.${status} ${intentHash}.`);
    }
    for (const [id, { intentHash, decision }] of disputes) {
      if (later.has(intentHash) && decision !== undefined && !got.has(`dispute.resolved ${id}`))
        faults.push(`No delivery was made to ${name} of dispute.resolved ${id}.`);
    }
  }
  for (const { event, about, eventId } of deliveries) {
    const status = event.startsWith('intent.') ? read.get(about)?.status : undefined;
    if (event === 'intent.settled' && status !== undefined && status !== 'settled')
      faults.push(`${eventId} tells of a settlement of ${about}, which is ${status}.`);
  }
  return faults;
}

/** By the check of `npm run verify`, whose head must be that of the oracle. */
async function brokenChain(
  { service: { publisher } }: ServiceClient,
  { batches }: Acknowledged,
  { oracle }: Surroundings,
): Promise<string[]> {
  const faults: string[] = [];
  try {
    const { head } = await checkService({ publisher, keys: [], remembered: undefined, say: () => undefined });
    const last = oracle.taken().at(-1);
    if (head?.headerHash !== last?.receipt.headerHash)
      faults.push(`${head?.sequence} is the last batch, and ${last?.header.sequence} that of the oracle.`);
  } catch (error) {
    faults.push(String(error));
  }
  for (const [sequence, headerHash] of batches) {
    const batch = unwrap(await publisher.getBatch({ params: { sequence: String(sequence) } }));
    if (batch.headerHash !== headerHash) faults.push(`Batch ${sequence} was shown with another header.`);
  }
  return faults;
}
