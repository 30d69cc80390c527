import { readFileSync } from 'node:fs';
import type { Express } from 'express';
import type { Connection } from 'mongoose';
import { createApp } from './app.js';
import { boot } from './boot.js';
import type { Config } from './config.js';
import { createVerifyPool } from './crypto/verify-pool.js';
import { createDeliveries } from './deliveries/deliveries.js';
import { createDeliveryStore } from './deliveries/delivery-store.js';
import { createOutboxStore } from './deliveries/outbox-store.js';
import { createAnchorsFeature } from './features/anchors/feature.js';
import type { Fleet } from './features/anchors/fleet.rules.js';
import { createAnchorStore } from './features/anchors/store.js';
import { createCacheFeature } from './features/cache/feature.js';
import { createCacheVersionStore } from './features/cache/store.js';
import { createDisputes } from './features/disputes/feature.js';
import { createDisputeStore, createDisputeWindowStore } from './features/disputes/store.js';
import { createHealth } from './features/health/feature.js';
import { createAggregationStore } from './features/intents/aggregation-store.js';
import { createIntents, intentLeases } from './features/intents/feature.js';
import { createIntentStore } from './features/intents/store.js';
import { createPublisher, publisherLeases } from './features/publisher/feature.js';
import { createPublisherStore } from './features/publisher/store.js';
import { createRatesFeature } from './features/rates/feature.js';
import { createReputation, reputationLeases } from './features/reputation/feature.js';
import { createReputationStore } from './features/reputation/store.js';
import { createScores } from './features/scores/feature.js';
import { createSnapshotFeature } from './features/snapshot/feature.js';
import { createEndpoints, createSecretBox, createWebhooks } from './features/webhooks/feature.js';
import { createWebhookStore } from './features/webhooks/store.js';
import { createDocsRouter } from './http/docs.js';
import { createMetrics } from './http/metrics.js';
import { createRateLimiter } from './http/rate-limiter.js';
import { createSchedule, type TaskName } from './jobs/schedule.js';
import { createScheduler } from './jobs/scheduler.js';
import type { Lifecycle } from './lifecycle.js';
import { answersPing } from './mongo/connection.js';
import { createLeases } from './mongo/leases.js';
import { createInTransaction } from './mongo/transactions.js';
import { createOutbound } from './outbound/outbound.js';
import type { World } from './ports.js';

/** The composed service: main.ts boots it, starts it and lets it listen. */
export interface Service {
  app: Express;
  /** Brings the database in order; once, before anything else. */
  boot(): Promise<void>;
  /** Starts the background work; the lifecycle stops it. */
  start(): void;
}

export interface ServiceDeps {
  config: Config;
  fleet: Fleet;
  /** Open already. */
  connection: Connection;
  world: World;
  lifecycle: Lifecycle;
}

/** The one place where things are constructed and handed to each other. It reads and writes nothing. */
export function composeService({ config, fleet, connection, world, lifecycle }: ServiceDeps): Service {
  const { clock, random, newId, logger, env } = world;
  const { cachePublic: publicCache } = config;

  // Stores first: they need nothing but the connection, and features are handed their functions.
  const anchorStore = createAnchorStore(connection);
  const cacheVersionStore = createCacheVersionStore(connection);
  const intentStore = createIntentStore(connection);
  const intentAggregation = createAggregationStore(connection);
  const disputeStore = createDisputeStore(connection);
  const disputeWindows = createDisputeWindowStore(connection);
  const reputationStore = createReputationStore(connection);
  const publisherStore = createPublisherStore(connection);
  const webhookStore = createWebhookStore(connection);
  const outboxStore = createOutboxStore(connection);
  const deliveryStore = createDeliveryStore(connection);

  // Infrastructure.
  const limiter = createRateLimiter({ connection, clock, logger });
  const metrics = createMetrics({
    limiterDegraded: limiter.degraded,
    backlogs: {
      openWebhookEvents: outboxStore.countOpen,
      openWebhookDeliveries: deliveryStore.countOpen,
      dueWebhookDeliveries: () => deliveryStore.countDue(webhookStore.enabledAmong),
      pendingBatches: () => publisher.countPending(),
      openDisputes: disputeStore.countOpen,
      unfoldedIntents: intentAggregation.countPendingAggregation,
    },
    clock,
    logger,
  });
  const anyone = createOutbound({ allow: config.outboundAllow });
  const operators = createOutbound({ allow: [], trusted: origins([config.fxUrl, config.oracleUrl]) });
  // A connector of its own: receivers that hang must not take the places of calls to anchors.
  const subscribers = createOutbound({ allow: config.outboundAllow });
  lifecycle.onStop('outbound connections', async () => {
    await Promise.all([anyone.close(), operators.close(), subscribers.close()]);
  });
  const verifyPool = createVerifyPool();
  lifecycle.onStop('signature workers', () => verifyPool.close());
  const leases = createLeases({ connection, owner: newId(), logger });
  const inTransaction = createInTransaction(connection);
  const scheduler = createScheduler<TaskName>({ meter: metrics.jobs, random, logger });

  // The delivery engine, and the features in the order in which they need each other.
  const secretBox = createSecretBox(config.webhookKey);
  const deliveries = createDeliveries({
    outbox: outboxStore,
    store: deliveryStore,
    endpoints: createEndpoints({ store: webhookStore, secretBox, clock, logger }),
    outbound: metrics.countOutbound(subscribers.request, 'webhooks'),
    meter: metrics.webhooks,
    clock,
    random,
    newId,
    logger,
  });
  const webhooks = createWebhooks({
    store: webhookStore,
    secretBox,
    deliveries,
    outboundAllow: config.outboundAllow,
    clock,
    newId,
    logger,
  });
  const cache = createCacheFeature({
    store: cacheVersionStore,
    hasCorridor: (id) => fleet.corridors.some((corridor) => corridor.id === id),
    clock,
    logger,
  });
  const { cacheVersions } = cache;
  const anchors = createAnchorsFeature({
    store: anchorStore,
    fleet,
    outbound: metrics.countOutbound(anyone.request, 'discovery'),
    cacheVersions,
    writeEvent: deliveries.emit,
    inTransaction,
    env,
    publicCache,
    clock,
    random,
    logger,
  });
  const { directory } = anchors;
  const reputation = createReputation({
    store: reputationStore,
    intents: intentAggregation,
    leases,
    inTransaction,
    fleet: directory,
    publicCache,
    clock,
    logger,
  });
  const publisher = createPublisher({
    store: publisherStore,
    leases,
    inTransaction,
    writeEvent: deliveries.emit,
    gatherCards: () => reputation.listEveryCard(30),
    formula: 'v1',
    secretKey: config.publisherSecretKey,
    oldKeys: config.publisherOldKeys,
    oracleUrl: config.oracleUrl,
    outbound: metrics.countOutbound(operators.request, 'oracle'),
    publicCache,
    newId,
    random,
    logger,
  });
  const scores = createScores({
    runOf: reputation.runOf,
    listCards: reputation.listCards,
    latestBatch: publisher.latestBatch,
    publicCache,
    clock,
  });
  const rates = createRatesFeature({
    directory,
    outbound: metrics.countOutbound(anyone.request, 'rates'),
    fxOutbound: metrics.countOutbound(operators.request, 'fx'),
    fxUrl: config.fxUrl,
    fxMaxAgeMs: config.fxMaxAgeSeconds * 1_000,
    cacheVersions,
    reputationOf: reputation.reputationOf,
    publicCache,
    clock,
    random,
    logger,
  });
  const snapshot = createSnapshotFeature({ directory, rates, cacheVersions, publicCache, clock });
  const intents = createIntents({
    store: intentStore,
    directory,
    outbound: metrics.countOutbound(anyone.request, 'reconcile'),
    quoteFrom: rates.quoteFrom,
    disputeOf: disputeStore.disputeOf,
    verifyMessage: verifyPool.verifyMessage,
    onAttached: () => scheduler.wake('reconcile'),
    leases,
    inTransaction,
    writeEvent: deliveries.emit,
    failureGraceMs: config.failureGraceSeconds * 1_000,
    publicUrl: config.publicUrl,
    clock,
    logger,
  });
  const disputes = createDisputes({
    store: disputeStore,
    windows: disputeWindows,
    findIntent: intentStore.findByHash,
    applyEffect: intentStore.applyDisputeEffect,
    signingKeyOf: directory.signingKeyOf,
    verifyDispute: verifyPool.verifyDispute,
    inTransaction,
    writeEvent: deliveries.emit,
    clock,
    newId,
    logger,
  });
  const health = createHealth({
    pingDatabase: () => answersPing(connection),
    servesCorridors: () => directory.corridors().length > 0,
    registry: metrics.registry,
  });

  const app = createApp({
    routers: {
      rates: rates.router,
      corridors: anchors.routers.corridors,
      anchors: anchors.routers.anchors,
      snapshot: snapshot.router,
      intents: intents.router,
      disputes: disputes.router,
      reconcile: intents.reconcileRouter,
      reputation: reputation.router,
      scores: scores.router,
      publisher: publisher.router,
      adminDisputes: disputes.adminRouter,
      adminCache: cache.router,
      webhooks: webhooks.router,
    },
    operations: [health.router, createDocsRouter({ document: readDocument() })],
    limiter,
    secrets: { adminKeys: config.adminKeys, cronSecrets: config.cronSecrets },
    trustProxy: config.trustProxy,
    metrics,
    logger,
    newId,
  });

  const schedule = createSchedule(
    {
      aggregate: reputation.aggregate,
      reconcile: intents.reconcile,
      refresh: reputation.refresh,
      tick: publisher.tick,
      deliveries: deliveries.dispatch,
      cacheVersions: cacheVersions.poll,
      snapshot: snapshot.rebuild,
      discovery: directory.discoverDue,
      quoteReputation: reputation.loadQuoteReputations,
    },
    { leased: config.scheduler },
  );
  const aggregatorWaker = intentAggregation.watchPendingAggregation({
    wake: () => scheduler.wake('aggregate'),
    logger,
  });
  const leaseNames = [...reputationLeases, ...intentLeases, ...publisherLeases];

  return {
    app,
    boot: () => boot({ connection, leases, leaseNames, webhooks, cacheVersions, directory }),
    start() {
      lifecycle.onStop('anchors that are being read', () => directory.stop());
      lifecycle.onStop('scheduler', () => scheduler.stop());
      // Both are stopped before the scheduler, so that the runs it waits for end with their step in hand.
      lifecycle.onStop('deliveries', () => deliveries.stop());
      lifecycle.onStop('leases', () => leases.stop());
      deliveries.start();
      scheduler.start(schedule);
      if (!config.scheduler) return;
      lifecycle.onStop('wake-ups of the aggregator', () => aggregatorWaker.stop());
      aggregatorWaker.start();
    },
  };
}

/** docs/openapi.json; the build keeps it at the same place beside the compiled server. */
function readDocument(): object {
  return JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8')) as object;
}

function origins(urls: readonly (string | undefined)[]): string[] {
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).origin])))];
}
