import type { Connection } from 'mongoose';
import { createApp, createOperationsApp, type Operations, pathsUnder } from './app.js';
import { boot, type Prepared, prepareDatabase } from './boot.js';
import type { Config } from './config.js';
import { createAnchorsFeature } from './features/anchors/feature.js';
import type { Fleet } from './features/anchors/fleet-file.rules.js';
import { createAnchorStore } from './features/anchors/store.js';
import { createCacheFeature } from './features/cache/feature.js';
import { createCacheEpochStore } from './features/cache/store.js';
import { createDisputesFeature } from './features/disputes/feature.js';
import { createDisputeStore, createDisputeWindowStore } from './features/disputes/store.js';
import { createHealthFeature } from './features/health/feature.js';
import { createIntentsFeature, intentLeases } from './features/intents/feature.js';
import { createOutcomeStore } from './features/intents/outcome-store.js';
import { createDueStore } from './features/intents/polls/due-store.js';
import { createIntentStore } from './features/intents/store.js';
import { createIntentStreamStore } from './features/intents/stream/stream-store.js';
import { createObservationsFeature, observationLeases } from './features/observations/feature.js';
import { createObservationStore } from './features/observations/store.js';
import { createPublisherFeature, publisherLeases } from './features/publisher/feature.js';
import { createPublisherStore } from './features/publisher/store.js';
import { createRateHistoryFeature, rateHistoryLeases } from './features/rate-history/feature.js';
import { createRateSampleStore } from './features/rate-history/store.js';
import { createRatesFeature } from './features/rates/feature.js';
import { createCardStore } from './features/reputation/card-store.js';
import { createReputationFeature, reputationLeases } from './features/reputation/feature.js';
import { createMarkStore } from './features/reputation/mark-store.js';
import { createRollupStore } from './features/reputation/rollup-store.js';
import { createScoresFeature } from './features/scores/feature.js';
import { createSnapshotFeature } from './features/snapshot/feature.js';
import { createClientKeyOf } from './http/client-key.js';
import { createDocsRouter, isDocsPath } from './http/docs.js';
import type { ConnectionMeter } from './http/listen.js';
import { createMetrics } from './http/metrics.js';
import { createMetricsRouter } from './http/metrics-router.js';
import { createPage } from './http/page.js';
import { createRequestRecord } from './http/request-log.js';
import { createResponseCache, type ResponseCache } from './http/response-cache.js';
import { createClockCheck, readPrimaryTime } from './jobs/clock-check.js';
import { createJobWatch, type WatchedJob } from './jobs/job-watch.js';
import { createSchedule, jobIntervalsMs, type TaskName } from './jobs/schedule.js';
import { createScheduler } from './jobs/scheduler.js';
import { createLedger } from './ledger/ledger.js';
import type { Lifecycle } from './lifecycle.js';
import { createRateLimiter } from './limits/rate-limiter.js';
import { answersPing } from './mongo/connection.js';
import { createLeases } from './mongo/leases.js';
import { createPauseBeforeTry } from './mongo/refused-writes.js';
import { createInTransaction } from './mongo/transactions.js';
import { createConnectors } from './outbound/outbound.js';
import type { World } from './ports.js';
import { createStreams } from './streams/streams.js';
import { createDeliveryStore } from './webhooks/delivery-store.js';
import { createWebhooks } from './webhooks/feature.js';
import { createOutboxStore } from './webhooks/outbox-store.js';
import { createWebhookStore } from './webhooks/webhook-store.js';

/** The composed service: main.ts boots it, starts it and lets it listen. */
export interface Service {
  app: ReturnType<typeof createApp>;
  /** Answers what it has, and passes all other requests to the application. */
  responseCache: ResponseCache;
  /** Serves the metrics where they have a port of their own. */
  metricsApp: ReturnType<typeof createOperationsApp> | undefined;
  connectionMeter: ConnectionMeter;
  /** From now on the service reports that it is not ready, but still serves requests. */
  announceStop(): void;
  /** Ends the streams that are open. */
  stopStreams(): Promise<void>;
  /** Prepares the database for this release, as `boot` does, and takes as long as that takes. */
  prepareDatabase(): Promise<Prepared>;
  /** Prepares the database and stores the fleet in it. Called once, before anything else. */
  boot(): Promise<void>;
  /** Starts the background work; the lifecycle stops it. */
  start(): void;
}

/** The one place where all parts are constructed and connected. The connection is open; nothing uses it yet. */
export function composeService(deps: {
  config: Config;
  fleet: Fleet;
  connection: Connection;
  world: World;
  lifecycle: Lifecycle;
}): Service {
  const { config, fleet, connection, world, lifecycle } = deps;
  const { clock, pause, random, newId, logger, logOutput, env } = world;
  const { outboundAllow, fxUrl, oracleUrl, ledgerRpcUrl, horizonUrl } = config;

  // Stores come first: they need only the connection, and features get their functions.
  const anchorStore = createAnchorStore(connection);
  const cacheEpochStore = createCacheEpochStore(connection);
  const intentStore = createIntentStore(connection);
  const dueStore = createDueStore(connection);
  const outcomeStore = createOutcomeStore(connection);
  const intentStreamStore = createIntentStreamStore(connection);
  const observationStore = createObservationStore(connection);
  const disputeStore = createDisputeStore(connection);
  const disputeWindows = createDisputeWindowStore(connection);
  const marks = createMarkStore(connection);
  const rollups = createRollupStore(connection);
  const cardStore = createCardStore(connection);
  const publisherStore = createPublisherStore(connection);
  const rateSampleStore = createRateSampleStore(connection);
  const webhookStore = createWebhookStore(connection);
  const outboxStore = createOutboxStore(connection);
  const deliveryStore = createDeliveryStore(connection);

  // Infrastructure.
  const clockCheck = createClockCheck({ readPrimaryTime: () => readPrimaryTime(connection), logger });
  const limiter = createRateLimiter({
    connection,
    clock,
    logger,
    clockIsOff: () => clockCheck.fault() !== undefined,
  });
  const metrics = createMetrics({
    limiterDegraded: limiter.isAlone,
    machineAheadMs: clockCheck.aheadMs,
    droppedLogLines: logOutput.droppedLines,
    backlogs: {
      openWebhookEvents: outboxStore.countOpen,
      openWebhookDeliveries: deliveryStore.countOpen,
      dueWebhookDeliveries: () => deliveryStore.countDue(new Date(clock()), webhookStore.enabledAmong),
      // Without an oracle nothing waits for a receipt.
      pendingBatches: async () => (oracleUrl ? publisherStore.batches.countWithoutReceipt() : 0),
      heldLog: async () => Number((await publisherStore.ticks.read()).heldSince !== null),
      openDisputes: disputeStore.countOpen,
      reputationMarks: marks.count,
    },
    clock,
    logger,
  });
  const outbound = createConnectors({
    allow: outboundAllow,
    operators: [fxUrl, oracleUrl, ledgerRpcUrl, horizonUrl],
  });
  lifecycle.onStop('outbound connections', () => outbound.close());
  /** Calls to anchors, whose addresses come from others. */
  const toAnyone = (purpose: string) => metrics.countOutbound(outbound.anyone, purpose);
  /** Calls to services that the operator has named. */
  const toOperators = (purpose: string) => metrics.countOutbound(outbound.operators, purpose);
  const ledger = createLedger({
    rpcUrl: ledgerRpcUrl,
    horizonUrl,
    outbound: toOperators('ledger'),
    clock,
    pause,
  });
  const leases = createLeases({
    connection,
    owner: newId(),
    throwIfUnfit: clockCheck.throwIfWrong,
    logger,
  });
  const inTransaction = createInTransaction(connection);
  const streams = createStreams({
    // Each holds a connection.
    max: Math.floor(config.maxConnections / 2),
    meter: metrics.streams,
    random,
  });
  const scheduler = createScheduler<TaskName>({ meter: metrics.jobs, random, logger });

  /** The dependencies of every feature. `env` is for the anchors feature alone, because it holds the anchors' tokens. */
  const shared = {
    clock,
    random,
    newId,
    logger,
    leases,
    inTransaction,
    pauseBeforeTry: createPauseBeforeTry(world),
    streams,
    publicCache: config.cachePublic,
  };

  // The features, in the order in which they need each other.
  const webhooks = createWebhooks({
    ...shared,
    outbox: outboxStore,
    deliveries: deliveryStore,
    webhooks: webhookStore,
    webhookKey: config.webhookKey,
    outbound: metrics.countOutbound(outbound.subscribers, 'webhooks'),
    outboundAllow,
    meter: metrics.webhooks,
  });
  const { epoch: cacheEpoch, router: adminCache } = createCacheFeature({
    ...shared,
    store: cacheEpochStore,
    hasCorridor: (id) => fleet.corridors.some((corridor) => corridor.id === id),
  });
  const { directory, routers: fleetRouters } = createAnchorsFeature({
    ...shared,
    store: anchorStore,
    fleet,
    env,
    hasFx: fxUrl !== undefined,
    contradictedPayments: async (anchorId) =>
      ledger === null ? null : dueStore.countContradicted(anchorId, new Date(clock())),
    outbound: toAnyone('discovery'),
    cacheEpoch,
    writeEvent: webhooks.emit,
  });
  const reputation = createReputationFeature({
    ...shared,
    marks,
    rollups,
    cards: cardStore,
    outcomes: outcomeStore,
    fleet: directory,
    ledger,
  });
  const publisher = createPublisherFeature({
    ...shared,
    store: publisherStore,
    writeEvent: webhooks.emit,
    isKnownAnchor: directory.isKnownAnchor,
    isServedCorridor: (id) => directory.corridor(id) !== undefined,
    gatherCards: async () => (await reputation.publishedCards()).cards,
    secretKey: config.publisherSecretKey,
    oldKeys: config.publisherOldKeys,
    oracleUrl,
    outbound: toOperators('oracle'),
  });
  const scores = createScoresFeature({
    ...shared,
    latestSequence: publisher.latestSequence,
    entriesFrom: publisher.log.entriesFrom,
    logHeldSince: publisher.heldSince,
    publishedCards: reputation.publishedCards,
  });
  const rates = createRatesFeature({
    ...shared,
    directory,
    outbound: toAnyone('rates'),
    fxOutbound: toOperators('fx'),
    fxUrl,
    fxSource: config.fxSource,
    limiter,
    cacheEpoch,
    meter: metrics.quotes,
    reputationOf: reputation.reputationOf,
  });
  const rateHistory = createRateHistoryFeature({
    ...shared,
    store: rateSampleStore,
    corridors: directory.corridors,
    quote: rates.quote,
  });
  const snapshot = createSnapshotFeature({ ...shared, directory, rates, cacheEpoch });
  const observations = createObservationsFeature({
    ...shared,
    everyMs: jobIntervalsMs.observe,
    store: observationStore,
    directory,
    offers: rates.referenceOffers,
    midMarketOf: rates.midMarketOf,
    outbound: toAnyone('observer'),
  });
  const intents = createIntentsFeature({
    ...shared,
    pause,
    store: intentStore,
    dueStore,
    streamStore: intentStreamStore,
    ledger,
    directory,
    limiter,
    outbound: toAnyone('reconcile'),
    quoteFrom: rates.quoteFrom,
    disputeOf: disputeStore.disputeOf,
    standingOf: reputation.standingOf,
    markDays: marks.insert,
    onAttached: () => scheduler.wake('reconcile'),
    writeEvent: webhooks.emit,
    publicUrl: config.publicUrl,
  });
  const disputes = createDisputesFeature({
    ...shared,
    store: disputeStore,
    windows: disputeWindows,
    limiter,
    findIntent: intentStore.findByHash,
    findIntents: intentStore.findByHashes,
    keepIntent: intentStore.keep,
    trueEffects: reputation.trueEffects,
    markDays: marks.insert,
    applyEffect: intentStore.applyDisputeEffect,
    signingKeyOf: directory.signingKeyOf,
    isKnownAnchor: directory.isKnownAnchor,
    writeEvent: webhooks.emit,
  });
  let stopping = false;
  const health = createHealthFeature({
    pingDatabase: () => answersPing(connection),
    servesCorridors: () => directory.corridors().length > 0,
    warnings: [clockCheck.fault, logOutput.fault],
    isStopping: () => stopping,
  });
  const metricsRouter = createMetricsRouter({ registry: metrics.registry, tokens: config.metricsTokens });
  const metricsOperations: Operations[] = [{ serves: pathsUnder('/metrics'), router: metricsRouter }];
  const ownMetricsPort = config.metricsPort !== undefined;

  const record = createRequestRecord({ logger, meter: metrics.requests });
  const clientKeyOf = createClientKeyOf(config.trustProxy);
  const responseCache = createResponseCache({
    limiter,
    clientKeyOf,
    epoch: cacheEpoch.current,
    record,
    newId,
  });
  const page = world.pageFolder && createPage({ folder: world.pageFolder, logger });
  const app = createApp({
    routers: {
      rates: rates.router,
      rateHistory: rateHistory.router,
      ...fleetRouters,
      observations: observations.router,
      snapshot: snapshot.router,
      intents: intents.router,
      disputes: disputes.router,
      reconcile: intents.reconcileRouter,
      reputation: reputation.router,
      scores: scores.router,
      publisher: publisher.router,
      adminDisputes: disputes.adminRouter,
      adminCache,
      webhooks: webhooks.router,
    },
    operations: [
      { serves: pathsUnder('/healthz', '/readyz'), router: health.router },
      ...(page === undefined ? [] : [page]),
      {
        serves: isDocsPath,
        router: createDocsRouter({ pageFolder: world.pageFolder }),
      },
      ...(ownMetricsPort ? [] : metricsOperations),
    ],
    answerUnknown: page?.answerUnknown,
    limiter,
    secrets: { adminKeys: config.adminKeys, cronSecrets: config.cronSecrets },
    clientKeyOf,
    responseCache,
    raiseEpoch: cacheEpoch.raise,
    record,
    logger,
    newId,
  });

  const metricsApp = ownMetricsPort
    ? createOperationsApp({
        operations: metricsOperations,
        record: createRequestRecord({ logger, meter: () => undefined }),
        logger,
        newId,
      })
    : undefined;

  const schedule = createSchedule({
    leased: config.scheduler,
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
    tick: publisher.tick,
    observe: observations.observeDue,
    observer: config.observer,
    webhooks: webhooks.work,
    webhookRemains: webhooks.deleteOrphans,
    cacheEpoch: cacheEpoch.poll,
    snapshot: snapshot.rebuild,
    rateSamples: rateHistory.sample,
    discovery: directory.discoverDue,
    cards: reputation.loadCards,
    clockCheck: clockCheck.look,
    jobWatch: createJobWatch({ jobs: calledJobs(config), readLease: leases.read, clock, logger }),
  });
  const leaseNames = [
    ...reputationLeases,
    ...intentLeases,
    ...publisherLeases,
    ...rateHistoryLeases,
    ...observationLeases,
  ];
  const databaseParts = { connection, leases, leaseNames, logger };

  return {
    app,
    responseCache,
    metricsApp,
    connectionMeter: metrics.connections,
    announceStop() {
      stopping = true;
    },
    async stopStreams() {
      streams.stop();
      await intents.stopStreams();
    },
    prepareDatabase: () => prepareDatabase(databaseParts),
    boot: () => boot({ ...databaseParts, clockCheck, cacheEpoch, directory, reputation }),
    start() {
      lifecycle.onStop('anchors that are being read', () => directory.stop());
      lifecycle.onStop('scheduler', () => scheduler.stop());
      // Both are stopped before the scheduler, so that the runs which it waits for end after their current step.
      lifecycle.onStop('webhooks', () => webhooks.stop());
      lifecycle.onStop('leases', () => leases.stop());
      webhooks.start();
      scheduler.start(schedule);
    },
  };
}

/** The jobs that run only when their endpoint is called. Without a secret that cannot happen; a start-up notice says so. */
function calledJobs({ scheduler, cronSecrets, publisherSecretKey }: Config): WatchedJob[] {
  if (scheduler || cronSecrets.length === 0) return [];
  const [reconcileLease] = intentLeases;
  const [refreshLease] = reputationLeases;
  const [publisherLease] = publisherLeases;
  const { reconcile, refresh, tick } = jobIntervalsMs;
  const publishes = publisherSecretKey !== undefined;
  return [
    {
      task: 'reconcile',
      lease: reconcileLease,
      endpoint: '/api/reputation/reconcile',
      intervalMs: reconcile,
    },
    { task: 'refresh', lease: refreshLease, endpoint: '/api/reputation/refresh', intervalMs: refresh },
    ...(publishes
      ? [{ task: 'tick', lease: publisherLease, endpoint: '/api/publisher/tick', intervalMs: tick }]
      : []),
  ];
}
