import { readFileSync } from 'node:fs';
import type { Express } from 'express';
import type { Connection } from 'mongoose';
import { createApp } from './app.js';
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
import { createHealthRouter } from './features/health/router.js';
import { createAggregationStore } from './features/intents/aggregation-store.js';
import { createIntents } from './features/intents/feature.js';
import { reconcileLease } from './features/intents/reconcile.js';
import { createIntentStore } from './features/intents/store.js';
import { createPublisherRouter } from './features/publisher/router.js';
import { createPublisher } from './features/publisher/service.js';
import { publisherLease } from './features/publisher/tick.js';
import { createRatesFeature } from './features/rates/feature.js';
import { createReputation, reputationLeases } from './features/reputation/feature.js';
import { createReputationStore } from './features/reputation/store.js';
import { createScores } from './features/scores/feature.js';
import { createSnapshotFeature } from './features/snapshot/feature.js';
import { createEndpoints } from './features/webhooks/endpoints.js';

import { createWebhooks } from './features/webhooks/feature.js';
import { createSecretBox } from './features/webhooks/secrets.js';
import { createWebhookStore } from './features/webhooks/store.js';
import { createDocsRouter } from './http/docs.js';
import { createMetrics } from './http/metrics.js';
import { createRateLimiter } from './http/rate-limiter.js';
import { createSchedule, type PeriodicWork, type TaskName } from './jobs/schedule.js';
import { createScheduler } from './jobs/scheduler.js';
import type { Lifecycle } from './lifecycle.js';
import { createLeases } from './mongo/leases.js';
import { prepareCollections } from './mongo/models.js';
import { createInTransaction } from './mongo/transactions.js';
import { createOutbound } from './outbound/outbound.js';
import type { World } from './ports.js';

/** The composed service: what listens is added by main.ts, so that tests may listen where they like. */
export interface Service {
  app: Express;
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

/** The one place where things are constructed and handed to each other. */
export async function composeService({
  config,
  fleet,
  connection,
  world,
  lifecycle,
}: ServiceDeps): Promise<Service> {
  const { clock, random, newId, logger, env } = world;
  const publicCache = config.cachePublic;

  const intentStore = createIntentStore(connection);
  const intentAggregation = createAggregationStore(connection);
  const disputeStore = createDisputeStore(connection);
  const reputationStore = createReputationStore(connection);
  const webhookStore = createWebhookStore(connection);
  const outboxStore = createOutboxStore(connection);
  const deliveryStore = createDeliveryStore(connection);

  const limiter = createRateLimiter({ connection, clock, logger });
  const metrics = createMetrics({
    limiterDegraded: limiter.degraded,
    backlogs: {
      openWebhookEvents: outboxStore.countOpen,
      openWebhookDeliveries: deliveryStore.countOpen,
      dueWebhookDeliveries: () => deliveryStore.countDue(webhookStore.enabledAmong),
      pendingBatches: () => publisher.log.pending(),
      openDisputes: disputeStore.countOpen,
      unfoldedIntents: intentAggregation.countPendingAggregation,
    },
    clock,
    logger,
  });
  const anyone = createOutbound({ allow: config.outboundAllow });
  const operators = createOutbound({ allow: [], trusted: origins([config.fxUrl, config.oracleUrl]) });
  // Its own connector: receivers that hang must not take the places of calls to anchors.
  const subscribers = createOutbound({ allow: config.outboundAllow });
  lifecycle.onStop('outbound connections', async () => {
    await Promise.all([anyone.close(), operators.close(), subscribers.close()]);
  });
  const verifyPool = createVerifyPool();
  lifecycle.onStop('signature workers', () => verifyPool.close());
  const leases = createLeases({ connection, owner: newId(), logger });
  const inTransaction = createInTransaction(connection);
  const scheduler = createScheduler<TaskName>({ meter: metrics.jobs, random, logger });
  const cache = createCacheFeature({
    store: createCacheVersionStore(connection),
    hasCorridor: (id) => fleet.corridors.some((corridor) => corridor.id === id),
    clock,
    logger,
  });
  const { cacheVersions } = cache;

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
  const anchors = createAnchorsFeature({
    store: createAnchorStore(connection),
    fleet,
    outbound: metrics.countOutbound(anyone.request, 'discovery'),
    cacheVersions,
    publicCache,
    clock,
    random,
    logger,
    env,
    writeEvent: deliveries.emit,
    inTransaction,
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
    connection,
    leases,
    inTransaction,
    writeEvent: deliveries.emit,
    gatherCards: () => reputation.listEveryCard(30),
    formula: 'v1',
    secretKey: config.publisherSecretKey,
    oldKeys: config.publisherOldKeys,
    oracleUrl: config.oracleUrl,
    outbound: metrics.countOutbound(operators.request, 'oracle'),
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
    publicCache,
    reputationOf: reputation.reputationOf,
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
    windows: createDisputeWindowStore(connection),
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
  const aggregatorWaker = intentAggregation.watchPendingAggregation({
    wake: () => scheduler.wake('aggregate'),
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

  await prepareCollections(connection);
  await leases.seed([...reputationLeases, reconcileLease, publisherLease]);
  await webhooks.sealSecrets();
  await cacheVersions.poll();
  await directory.sync();

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
      publisher: createPublisherRouter({ publisher, publicCache }),
      adminDisputes: disputes.adminRouter,
      adminCache: cache.router,
      webhooks: webhooks.router,
    },
    operations: [
      createHealthRouter({
        checks: { mongodb: () => answersPing(connection), fleet: () => directory.corridors().length > 0 },
        registry: metrics.registry,
      }),
      createDocsRouter({ document: readDocument() }),
    ],
    limiter,
    secrets: { adminKeys: config.adminKeys, cronSecrets: config.cronSecrets },
    trustProxy: config.trustProxy,
    metrics,
    logger,
    newId,
  });

  return {
    app,
    start() {
      lifecycle.onStop('anchors', () => directory.stop());
      deliveries.start();

      const work: PeriodicWork = {
        aggregate: reputation.aggregate,
        reconcile: intents.reconcile,
        refresh: reputation.refresh,
        tick: publisher.tick,
        deliveries: deliveries.dispatch,
        cacheVersions: cacheVersions.poll,
        snapshot: snapshot.rebuild,
        discovery: directory.discoverDue,
        quoteReputation: reputation.loadQuoteReputations,
      };
      lifecycle.onStop('scheduler', () => scheduler.stop());
      // Stopped before the scheduler, so that a look for work that it waits for ends after its step in hand.
      lifecycle.onStop('deliveries', () => deliveries.stop());
      // Stopped before the scheduler, so that what runs under a lease ends with its step in hand.
      lifecycle.onStop('leases', () => leases.stop());
      scheduler.start(createSchedule(work, { leased: config.scheduler }));
      if (!config.scheduler) return;
      lifecycle.onStop('wake-ups of the aggregator', () => aggregatorWaker.stop());
      aggregatorWaker.start();
    },
  };
}

async function answersPing(connection: Connection): Promise<boolean> {
  await connection.db?.admin().ping();
  return connection.readyState === 1;
}

/** docs/openapi.json; the build keeps it at the same place beside the compiled server. */
function readDocument(): object {
  return JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8')) as object;
}

function origins(urls: readonly (string | undefined)[]): string[] {
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).origin])))];
}
