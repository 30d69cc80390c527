import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { mongo } from 'mongoose';
import { afterAll, beforeAll } from 'vitest';
import { type ReferenceOracle, startReferenceOracle } from '../../../scripts/reference-oracle/index.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { createLogger } from '../../../server/logger.js';
import { startTestApp, type TestApp } from '../../helpers/app.js';
import { type PrivateMongo, privateMongo } from '../../helpers/database.js';
import { type HostileAnchor, startHostileAnchor } from '../../helpers/hostile-anchor.js';
import { type Receiver, startReceiver } from '../../stores/webhooks/receiver.js';

export const freshSecret = (label: string) => `planted-${label}-${randomBytes(12).toString('hex')}`;
/** Every secret that the service is told; fresh ones each run, none like another. */
export const secrets = {
  adminKey: freshSecret('admin'),
  oldAdminKey: freshSecret('old-admin'),
  cronSecret: freshSecret('cron'),
  webhookKey: randomBytes(32).toString('hex'),
  publisherSecretKey: randomBytes(32).toString('hex'),
  partnerToken: freshSecret('partner'),
  fxKey: freshSecret('fx'),
  mongoPassword: freshSecret('mongo'),
  webhookSecret: freshSecret('webhook'),
  nextWebhookSecret: freshSecret('next-webhook'),
  nonce: freshSecret('nonce'),
  brokenNonce: freshSecret('broken-nonce'),
};
/** The service with a secret in every place that takes one, and with all that it talks to. */
export interface PlantedService {
  readonly app: TestApp;
  readonly database: PrivateMongo;
  /** Answers every question with the credential it was asked with. */
  readonly echo: HostileAnchor;
  readonly receiver: Receiver;
  readonly oracle: ReferenceOracle;
  /** What was logged, at every level, one JSON object each. */
  readonly lines: readonly string[];
}

/** Call it once at the top of a file. */
export function plantedService(): PlantedService {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  let database: PrivateMongo;
  let anchors: SimulatedAnchors;
  let echo: HostileAnchor;
  let receiver: Receiver;
  let oracle: ReferenceOracle;
  let app: TestApp;

  beforeAll(async () => {
    database = await privateMongo();
    anchors = await startSimulatedAnchors({
      clock: Date.now,
      random: () => 0.5,
      latencyFactor: 0,
      anchors: ['harbour', 'squall', 'ferry'],
    });
    // It answers every question with the credential it was asked with.
    echo = await startHostileAnchor();
    for (const path of ['/sep38/price', '/sep24/info', '/sep24/transaction']) {
      echo.routes[path] = (req, res) =>
        res
          .writeHead(path === '/sep24/transaction' ? 500 : 400, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: req.headers.authorization }));
    }
    receiver = await startReceiver();
    oracle = await startReferenceOracle({ clock: Date.now });
    app = await startTestApp({
      uri: await uriWithPassword(database.uri),
      simulated: anchors,
      allow: [echo.origin, receiver.origin],
      fleet: (fleet) => withEcho(fleet, echo.origin),
      world: { logger: createLogger({ level: 'debug', destination }) },
      env: {
        ADMIN_SECRET_KEY: `${secrets.adminKey},${secrets.oldAdminKey}`,
        CRON_SECRET: secrets.cronSecret,
        WEBHOOK_KEY: secrets.webhookKey,
        PUBLISHER_SECRET_KEY: secrets.publisherSecretKey,
        PARTNER_TOKEN_OF_ECHO: secrets.partnerToken,
        FX_URL: `${anchors.fxUrl}/gone?key=${secrets.fxKey}`,
        ORACLE_URL: oracle.url,
        LOG_LEVEL: 'debug',
      },
    });
  });
  afterAll(async () => {
    await app?.close();
    await oracle?.stop();
    await receiver?.stop();
    await echo?.stop();
    await anchors?.stop();
    await database?.stop();
  });

  return {
    get app() {
      return app;
    },
    get database() {
      return database;
    },
    get echo() {
      return echo;
    },
    get receiver() {
      return receiver;
    },
    get oracle() {
      return oracle;
    },
    lines,
  };
}

/** MongoDB checks a password that it is given, also where it would ask for none. */
async function uriWithPassword(uri: string): Promise<string> {
  const client = new mongo.MongoClient(uri);
  try {
    await client.db('admin').command({ createUser: 'fairlead', pwd: secrets.mongoPassword, roles: ['root'] });
  } finally {
    await client.close();
  }
  const address = new URL(uri);
  address.username = 'fairlead';
  address.password = secrets.mongoPassword;
  address.searchParams.set('authSource', 'admin');
  return address.href;
}

function withEcho(fleet: SimulatedAnchors['fleet'], origin: string): unknown {
  const endpoints = {
    quoteServer: `${origin}/sep38`,
    transferServerSep24: `${origin}/sep24`,
  };
  const partnerToken = { env: 'PARTNER_TOKEN_OF_ECHO', origin };
  const corridors = [{ id: 'usdc-ngn', deliveryMethods: ['bank_account'] }];
  return {
    ...fleet,
    anchors: [...fleet.anchors, { id: 'echo', name: 'Echo', endpoints, corridors, partnerToken }],
  };
}
