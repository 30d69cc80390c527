import type { Connection } from 'mongoose';
import { type BatchStore, createBatchStore } from './batch-store.js';
import { createTickStore, type TickStore } from './tick-store.js';

/** The collections of the publisher: the published log, and the state that ticks record. */
export interface PublisherStore {
  batches: BatchStore;
  ticks: TickStore;
}

/** Registers its models on the connection, so that their collections and indexes can be prepared. */
export function createPublisherStore(connection: Connection): PublisherStore {
  return { batches: createBatchStore(connection), ticks: createTickStore(connection) };
}
