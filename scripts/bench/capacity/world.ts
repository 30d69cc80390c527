import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { intentHash as hashOf } from '../../../contract/verification/intent-hash.js';
import { encodePublicKey } from '../../../contract/verification/strkey.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { createIntentStore } from '../../../server/features/intents/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { addressIn } from '../../lib/addresses.js';
import { type BenchContext, benchAdminKey, benchCronSecret, type ServiceProcess } from '../lib/bench.js';
import { createClient, type EndpointClient, type EndpointRequest } from './client.js';
import type { WireCounts } from './wire.js';

export const adminHeaders = { 'x-admin-key': benchAdminKey };
export const cronHeaders = { authorization: `Bearer ${benchCronSecret}` };
export const corridor = 'usdc-ngn';
export const anchorId = 'harbour';

/** The real service on a MongoDB, with anchors, an oracle and a receiver around it, and what the cases prepare with. */
export interface CapacityWorld {
  service: ServiceProcess;
  mongodPid: number | undefined;
  /** Bypasses the counter: for documents that a case inserts directly into the database. */
  connection: Connection;
  receiverUrl: string;
  anchorUrl: string;
  /** What passed between the service and mongod since its start. */
  wire(): Promise<WireCounts>;
  client: EndpointClient;
  /** An address that was not used before. */
  newAddress(): string;
  /** Sends a request that is not measured, from a new address; resolves to the answer's JSON. */
  ask<T>(request: UnmeasuredRequest): Promise<T>;
  insertIntents(intents: readonly Intent[]): Promise<void>;
}

type UnmeasuredRequest = Omit<EndpointRequest, 'expect'> & { expect?: readonly number[] };

const network = 13;

export async function openWorld(context: BenchContext): Promise<CapacityWorld> {
  const mongod = await context.startMongo();
  const anchors = await context.startAnchors();
  const receiver = await context.startProgram('scripts/bench/webhooks/receiver');
  const oracle = await context.startProgram('scripts/bench/publisher/oracle');
  const wire = await context.startProgram('scripts/bench/capacity/wire', { args: [mongod.uri] });
  const receiverUrl = String(await receiver.ready());
  const service = await context.startService({
    ...anchors.env,
    MONGODB_URI: String(await wire.ready()),
    PUBLISHER_SECRET_KEY: '5b'.repeat(32),
    ORACLE_URL: String(await oracle.ready()),
    OUTBOUND_ALLOW: `${anchors.env.OUTBOUND_ALLOW},${receiverUrl}`,
  });
  const connection = await connectMongo({ uri: mongod.uri });
  context.onEnd('the connection', () => connection.close());
  const client = createClient(service.url);
  context.onEnd('the client', async () => client.close());
  const intents = createIntentStore(connection);
  let addresses = 0;

  const newAddress = () => addressIn(network, ++addresses);
  async function ask<T>(request: UnmeasuredRequest): Promise<T> {
    const text = await client.send({ expect: [200, 201, 202, 204], ...request }, newAddress());
    return (text === '' ? null : JSON.parse(text)) as T;
  }
  const anchor = await ask<{ homeDomain: string }>({ method: 'GET', path: `/api/anchors/${anchorId}` });
  await untilDiscovered(connection);
  return {
    service,
    mongodPid: mongod.pid,
    connection,
    receiverUrl,
    anchorUrl: anchor.homeDomain,
    wire: async () => (await wire.ask('counts')) as WireCounts,
    client,
    newAddress,
    ask,
    insertIntents: intents.insertAll,
  };
}

/** Waits until the service has read in the background which key the anchor signs with. */
async function untilDiscovered(connection: Connection): Promise<void> {
  const anchors = connection.collection<{ _id: string; signingKey: string | null }>('anchors');
  for (let tries = 0; tries < 200; tries += 1) {
    const found = await anchors.findOne({ _id: anchorId });
    if (found?.signingKey) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the anchor was not discovered');
}

export interface Terms {
  intentHash: string;
  nonce: string;
  account: string;
  body: Record<string, string>;
}

/** Terms that nobody has sent before, of an account of their own. */
export function newTerms(): Terms {
  const account = encodePublicKey(randomBytes(32));
  const nonce = randomBytes(24).toString('base64url');
  const body = { corridor, anchorId, account, sellAmount: '100', nonce };
  return { intentHash: hashOf(body), nonce, account, body };
}

/** Registers this many intents through the API. */
export async function registered(world: CapacityWorld, count: number): Promise<Terms[]> {
  const all = Array.from({ length: count }, newTerms);
  for (const { body } of all) await world.ask({ method: 'POST', path: '/api/intent/offramp', body });
  return all;
}

/** Starts a withdrawal of this account at the anchor; resolves to its id. */
export async function beginWithdrawal({ anchorUrl }: CapacityWorld, account: string): Promise<string> {
  const answer = await fetch(`${anchorUrl}/sep24/transactions/withdraw/interactive`, {
    method: 'POST',
    headers: { authorization: `Bearer sim.${account}.x`, 'content-type': 'application/json' },
    body: JSON.stringify({ asset_code: 'USDC', amount: '100', destination_asset: 'iso4217:NGN' }),
  });
  const { id } = (await answer.json()) as { id?: string };
  if (id === undefined) throw new Error(`the anchor began nothing: ${answer.status}`);
  return id;
}

export interface Attached extends Terms {
  transactionId: string;
}

/** Registers this many intents, each attached to a withdrawal that the anchor knows. */
export async function attached(world: CapacityWorld, count: number): Promise<Attached[]> {
  const all: Attached[] = [];
  for (const terms of await registered(world, count)) {
    const transactionId = await beginWithdrawal(world, terms.account);
    const { intentHash, nonce } = terms;
    await world.ask({
      method: 'POST',
      path: `/api/intent/${intentHash}/transaction`,
      body: { nonce, anchorTransactionId: transactionId },
    });
    all.push({ ...terms, transactionId });
  }
  return all;
}
