import type { Connection } from 'mongoose';
import { createApp, createOperationsApp, type Operations, type Routers } from './app.js';
import type { Config } from './config.js';
import { createAnchorsFeature } from './features/anchors/feature.js';
import type { Fleet } from './features/anchors/fleet-file.rules.js';
import { createAnchorStore } from './features/anchors/store.js';
import { createCacheFeature } from './features/cache/feature.js';
import { createDisputesFeature } from './features/disputes/feature.js';
import { createDisputeStore } from './features/disputes/store.js';
import { createHealthFeature } from './features/health/feature.js';
import { createIntentsFeature, intentLeases } from './features/intents/feature.js';
import { createOutcomeStore } from './features/intents/outcome-store.js';
import { createDueStore } from './features/intents/polls/due-store.js';
import { createIntentStore } from './features/intents/store.js';
import { createObservationsFeature, observationLeases } from './features/observations/feature.js';
import { createPublisherFeature, publisherLeases } from './features/publisher/feature.js';
import { createBatchStore, createTickStore } from './features/publisher/store.js';
import { createRateHistoryFeature } from './features/rate-history/feature.js';
import { createRatesFeature } from './features/rates/feature.js';
import { createCardStore } from './features/reputation/card-store.js';
import { createMarkStore, createRollupStore } from './features/reputation/day-store.js';
import { createReputationFeature, reputationLeases } from './features/reputation/feature.js';
import { createSnapshotFeature } from './features/snapshot/feature.js';
import type { Backlogs } from './http/backlog-gauges.js';
import { type ClientKeyOf, clientKey, createWindowKeyOf } from './http/client-key.js';
import { createDocsRouter, isDocsPath } from './http/docs.js';
import { messageClassesOf } from './http/listen.js';
import { createMetrics, createMetricsRouter } from './http/metrics.js';
import { createPage } from './http/page.js';
import { createRequestRecord } from './http/request-log.js';
import { createResponseCache } from './http/response-cache.js';
import { createClockCheck, readPrimaryTime } from './jobs/clock-check.js';
import { createSchedule, observeEveryMs, type TaskName } from './jobs/schedule.js';
import { createScheduler } from './jobs/scheduler.js';
import { createLedger } from './ledger/ledger.js';
import type { Lifecycle } from './lifecycle.js';
import { createRateLimiter } from './limits/rate-limiter.js';
import { answersPing } from './mongo/connection.js';
import { createLeases } from './mongo/leases.js';
import { prepareCollections } from './mongo/models.js';
import { createInTransaction, createPauseBeforeTry } from './mongo/transactions.js';
import { createConnectors } from './outbound/outbound.js';
import type { Clock, World } from './ports.js';
import { createStreams } from './streams/streams.js';
import { createDeliveryStore } from './webhooks/delivery-store.js';
import { createWebhooks } from './webhooks/feature.js';
import { createOutboxStore } from './webhooks/outbox-store.js';
import { createWebhookStore } from './webhooks/webhook-store.js';

/** What the service is made of: main.ts opens the connection, which nothing uses yet. */
interface Given {
  config: Config;
  fleet: Fleet;
  connection: Connection;
  world: World;
  lifecycle: Lifecycle;
}

/**
 * The one place where all parts are constructed and connected, in the order in which they need each other. main.ts boots
 * the service, starts it and lets it listen.
 */
export function composeService(given: Given) {
  const { connection, lifecycle } = given;
  const stores = createStores(connection);
  const parts = { ...given, stores, ...createTechnicalParts(given, stores) };
  const base = { ...parts, ...createFleetParts(parts) };
  const scored = { ...base, ...createReputationParts(base) };
  const priced = { ...scored, ...createRateParts(scored) };
  const features = { ...priced, ...createIntentParts(priced) };
  const edge = createEdge(features);

  return {
    ...edge,
    connectionMeter: parts.metrics.connections,
    /** Ends the streams that are open. */
    async stopStreams() {
      parts.streams.stop();
      await features.intents.stopStreams();
    },
    /** Prepares the database for this release, as `boot` does, and takes as long as that takes. */
    prepareDatabase: () => prepareDatabase(parts),
    /** Prepares the database and stores the fleet in it. Called once, before anything else. */
    boot: () => boot(features),
    /** Starts the background work; the lifecycle stops it. */
    start() {
      const { directory, scheduler, webhooks, leases } = features;
      lifecycle.onStop('anchors that are being read', () => directory.stop());
      lifecycle.onStop('scheduler', () => scheduler.stop());
      // Both are stopped before the scheduler, so that the runs which it waits for end after their current step.
      lifecycle.onStop('webhooks', () => webhooks.stop());
      lifecycle.onStop('leases', () => leases.stop());
      webhooks.start();
      scheduler.start(scheduleOf(features));
    },
  };
}

const leaseNames = [...reputationLeases, ...intentLeases, ...publisherLeases, ...observationLeases];

/** The stores whose functions several parts get; features make those that they alone need. */
function createStores(connection: Connection) {
  return {
    anchors: createAnchorStore(connection),
    intents: createIntentStore(connection),
    due: createDueStore(connection),
    outcomes: createOutcomeStore(connection),
    disputes: createDisputeStore(connection),
    marks: createMarkStore(connection),
    rollups: createRollupStore(connection),
    cards: createCardStore(connection),
    batches: createBatchStore(connection),
    ticks: createTickStore(connection),
    webhooks: createWebhookStore(connection),
    outbox: createOutboxStore(connection),
    deliveries: createDeliveryStore(connection),
  };
}

type Stores = ReturnType<typeof createStores>;

/** The technical ring, which knows no feature. */
function createTechnicalParts({ config, connection, world, lifecycle }: Given, stores: Stores) {
  const { clock, pause, random, newId, logger, logOutput } = world;
  const { outboundAllow, fxUrl, oracleUrl, ledgerRpcUrl, horizonUrl } = config;
  const clockCheck = createClockCheck({ readPrimaryTime: () => readPrimaryTime(connection), logger });
  const clockIsOff = () => clockCheck.fault() !== undefined;
  const limiter = createRateLimiter({ connection, clock, logger, clockIsOff });
  const metrics = createMetrics({
    limiterDegraded: limiter.isAlone,
    machineAheadMs: clockCheck.aheadMs,
    droppedLogLines: logOutput.droppedLines,
    backlogs: backlogsOf(stores, clock, oracleUrl !== undefined),
    clock,
    logger,
  });
  const outbound = createConnectors({
    allow: outboundAllow,
    operators: [fxUrl, oracleUrl, ledgerRpcUrl, horizonUrl],
  });
  lifecycle.onStop('outbound connections', () => outbound.close());
  const toOperators = (purpose: string) => metrics.countOutbound(outbound.operators, purpose);
  const { throwIfWrong: throwIfUnfit } = clockCheck;
  return {
    clock,
    pause,
    random,
    newId,
    logger,
    clockCheck,
    limiter,
    metrics,
    /** Calls to anchors, whose addresses come from others. */
    toAnyone: (purpose: string) => metrics.countOutbound(outbound.anyone, purpose),
    /** Calls to services that the operator has named. */
    toOperators,
    toSubscribers: metrics.countOutbound(outbound.subscribers, 'webhooks'),
    ledger: createLedger({ rpcUrl: ledgerRpcUrl, horizonUrl, outbound: toOperators('ledger'), clock }),
    leases: createLeases({ connection, owner: newId(), throwIfUnfit, logger }),
    inTransaction: createInTransaction(connection),
    pauseBeforeTry: createPauseBeforeTry(world),
    // Each stream holds a connection.
    streams: createStreams({ max: Math.floor(config.maxConnections / 2), meter: metrics.streams, random }),
    scheduler: createScheduler<TaskName>({ meter: metrics.jobs, random, logger }),
    publicCache: config.cachePublic,
  };
}

function backlogsOf(stores: Stores, clock: Clock, hasOracle: boolean): Backlogs {
  const { outbox, deliveries, webhooks, batches, ticks, disputes, marks } = stores;
  return {
    openWebhookEvents: outbox.countOpen,
    openWebhookDeliveries: deliveries.countOpen,
    dueWebhookDeliveries: () => deliveries.countDue(new Date(clock()), webhooks.enabledAmong),
    // Without an oracle nothing waits for a receipt.
    pendingBatches: async () => (hasOracle ? batches.countWithoutReceipt() : 0),
    heldLog: async () => Number((await ticks.read()).heldSince !== null),
    openDisputes: disputes.countOpen,
    reputationMarks: marks.count,
  };
}

type Parts = Given & ReturnType<typeof createTechnicalParts> & { stores: Stores };

/** What tells others of changes, and the fleet that all other features read. */
function createFleetParts(parts: Parts) {
  const { config, fleet, world, stores, ledger, clock } = parts;
  const webhooks = createWebhooks({
    ...parts,
    outbox: stores.outbox,
    deliveries: stores.deliveries,
    webhooks: stores.webhooks,
    webhookKey: config.webhookKey,
    outbound: parts.toSubscribers,
    outboundAllow: config.outboundAllow,
    countEnded: parts.metrics.webhookEnded,
  });
  const { epoch: cacheEpoch, router: adminCache } = createCacheFeature({
    ...parts,
    hasCorridor: (id) => fleet.corridors.some((corridor) => corridor.id === id),
  });
  const { directory, routers: fleetRouters } = createAnchorsFeature({
    ...parts,
    store: stores.anchors,
    // For this feature alone, because it holds the anchors' tokens.
    env: world.env,
    contradictedPayments: async (anchorId) =>
      ledger === null ? null : stores.due.countContradicted(anchorId, new Date(clock())),
    outbound: parts.toAnyone('discovery'),
    cacheEpoch,
    writeEvent: webhooks.emit,
  });
  return { webhooks, cacheEpoch, adminCache, directory, fleetRouters };
}

type FleetParts = Parts & ReturnType<typeof createFleetParts>;

/** The scores, and how they are published. */
function createReputationParts(parts: FleetParts) {
  const { config, stores, directory } = parts;
  const reputation = createReputationFeature({
    ...parts,
    marks: stores.marks,
    rollups: stores.rollups,
    cards: stores.cards,
    outcomes: stores.outcomes,
    fleet: directory,
  });
  const publisher = createPublisherFeature({
    ...parts,
    batches: stores.batches,
    ticks: stores.ticks,
    writeEvent: parts.webhooks.emit,
    isKnownAnchor: directory.isKnownAnchor,
    isServedCorridor: (id) => directory.corridor(id) !== undefined,
    publishedCards: reputation.publishedCards,
    secretKey: config.publisherSecretKey,
    oldKeys: config.publisherOldKeys,
    oracleUrl: config.oracleUrl,
    outbound: parts.toOperators('oracle'),
  });
  return { reputation, publisher };
}

type ReputationParts = FleetParts & ReturnType<typeof createReputationParts>;

/** What the anchors offer, now and in the past. */
function createRateParts(parts: ReputationParts) {
  const { config, directory } = parts;
  const rates = createRatesFeature({
    ...parts,
    outbound: parts.toAnyone('rates'),
    fxOutbound: parts.toOperators('fx'),
    fxUrl: config.fxUrl,
    fxSource: config.fxSource,
    meter: parts.metrics.quotes,
    reputationOf: parts.reputation.reputationOf,
  });
  const rateHistory = createRateHistoryFeature({
    ...parts,
    corridors: directory.corridors,
    quote: rates.quote,
  });
  const observations = createObservationsFeature({
    ...parts,
    everyMs: observeEveryMs,
    offers: rates.referenceOffers,
    midMarketOf: rates.midMarketOf,
    outbound: parts.toAnyone('observer'),
  });
  return { rates, rateHistory, snapshot: createSnapshotFeature({ ...parts, rates }), observations };
}

type RateParts = ReputationParts & ReturnType<typeof createRateParts>;

/** Intents, and disputes about their outcomes. */
function createIntentParts(parts: RateParts) {
  const { config, stores, directory, reputation, rates, scheduler } = parts;
  const shared = { ...parts, markDays: stores.marks.insert, writeEvent: parts.webhooks.emit };
  const intents = createIntentsFeature({
    ...shared,
    store: stores.intents,
    dueStore: stores.due,
    outbound: parts.toAnyone('reconcile'),
    quoteFrom: rates.quoteFrom,
    disputeOf: stores.disputes.disputeOf,
    standingOf: reputation.standingOf,
    onAttached: () => scheduler.wake('reconcile'),
    publicUrl: config.publicUrl,
  });
  const disputes = createDisputesFeature({
    ...shared,
    store: stores.disputes,
    findIntent: stores.intents.findByHash,
    findIntents: stores.intents.findByHashes,
    keepIntent: stores.intents.keep,
    trueEffect: reputation.trueEffect,
    applyEffect: stores.intents.applyDisputeEffect,
    signingKeyOf: directory.signingKeyOf,
    isKnownAnchor: directory.isKnownAnchor,
  });
  return { intents, disputes };
}

type Features = RateParts & ReturnType<typeof createIntentParts>;

/** The application, the cache before it, and what else is served over HTTP. */
function createEdge(parts: Features) {
  const { config, world, limiter, cacheEpoch, logger, newId, metrics } = parts;
  const record = createRequestRecord({ logger, meter: metrics.requests });
  const clientKeyOf: ClientKeyOf = (remoteAddress, forwardedFor) =>
    clientKey(remoteAddress, forwardedFor, config.trustProxy);
  const responseCache = createResponseCache({
    limiter,
    windowKeyOf: createWindowKeyOf(clientKeyOf),
    epoch: cacheEpoch.current,
    record,
    newId,
  });
  const page = world.pageFolder && createPage({ folder: world.pageFolder, logger });
  const health = createHealthFeature({
    pingDatabase: () => answersPing(parts.connection),
    servesCorridors: () => parts.directory.corridors().length > 0,
    warnings: [parts.clockCheck.fault, world.logOutput.fault],
  });
  const metricsRouter = createMetricsRouter({ registry: metrics.registry, tokens: config.metricsTokens });
  const metricsOperations: Operations[] = [
    { serves: (path) => /^\/metrics(\/|$)/.test(path), router: metricsRouter },
  ];
  const ownMetricsPort = config.metricsPort !== undefined;
  const app = createApp({
    routers: routersOf(parts),
    operations: [
      { serves: (path) => /^\/(healthz|readyz)(\/|$)/.test(path), router: health.router },
      ...(page === undefined ? [] : [page]),
      { serves: isDocsPath, router: createDocsRouter({ pageFolder: world.pageFolder }) },
      ...(ownMetricsPort ? [] : metricsOperations),
    ],
    answerUnknown: page?.answerUnknown,
    limiter,
    secrets: config,
    clientKeyOf,
    responseCache,
    raiseEpoch: cacheEpoch.raise,
    record,
    logger,
    newId,
  });
  const unmetered = createRequestRecord({ logger, meter: () => undefined });
  const metricsDeps = { operations: metricsOperations, record: unmetered, logger, newId };
  return {
    app,
    messageClasses: messageClassesOf(app),
    /** Answers what it has, and passes all other requests to the application. */
    responseCache,
    /** Serves the metrics where they have a port of their own. */
    metricsApp: ownMetricsPort ? createOperationsApp(metricsDeps) : undefined,
    announceStop: health.announceStop,
  };
}

function routersOf(features: Features): Routers {
  const { intents, disputes } = features;
  return {
    rates: features.rates.router,
    rateHistory: features.rateHistory.router,
    ...features.fleetRouters,
    observations: features.observations.router,
    snapshot: features.snapshot.router,
    intents: intents.router,
    disputes: disputes.router,
    reconcile: intents.reconcileRouter,
    reputation: features.reputation.router,
    ...features.publisher.routers,
    adminDisputes: disputes.adminRouter,
    adminCache: features.adminCache,
    webhooks: features.webhooks.router,
  };
}

/**
 * Prepares a database for this release, except for the fleet, which is configuration. It only adds, so it can run
 * beside running instances, and in any number of instances at the same time.
 */
async function prepareDatabase({ connection, leases }: Parts): Promise<void> {
  await prepareCollections(connection);
  await leases.seed(leaseNames);
}

/** Runs once per process, before anything is served or started. Any number of instances may boot at the same time. */
async function boot(parts: Features): Promise<void> {
  await prepareDatabase(parts);
  await parts.clockCheck.look();
  await parts.cacheEpoch.poll();
  // Stores the fleet file in the database; an anchor not seen before is announced as an event.
  await parts.directory.sync();
  // Rates made before the reputation records are loaded would be cached, with anchors ranked without their records.
  await parts.reputation.loadCards();
}

function scheduleOf({ config, scheduler, webhooks, ...features }: Features) {
  const { intents, reputation } = features;
  const work = {
    // Runs again at once if more is due: the first check of an intent must not wait for the interval.
    reconcile: async () => {
      const outcome = await intents.reconcile();
      if (outcome.ran && outcome.value.more && outcome.value.looked > 0) scheduler.wake('reconcile');
      return outcome;
    },
    // Runs again at once if days are left, as after a rebuild.
    refresh: async () => {
      const outcome = await reputation.refresh();
      if (outcome.ran && outcome.value.more) scheduler.wake('refresh');
      return outcome;
    },
    tick: features.publisher.tick,
    observe: features.observations.observeDue,
    webhooks: webhooks.work,
    cacheEpoch: features.cacheEpoch.poll,
    snapshot: features.snapshot.rebuild,
    rateSamples: features.rateHistory.sample,
    discovery: features.directory.discoverDue,
    cards: reputation.loadCards,
    clockCheck: features.clockCheck.look,
  };
  return createSchedule(work, { leased: config.scheduler, observer: config.observer });
}
