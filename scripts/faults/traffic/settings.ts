/** How much the traffic does. Two cores bear the defaults beside three members and three instances. */
export interface TrafficSettings {
  readsPerSecond: number;
  /** Readers that repeat the same reads every few seconds at the instance that they stay with. */
  returningReaders: number;
  /** The number of concurrent off-ramps of wallets. */
  offRampsAtOnce: number;
  /** Intents that nobody pays; some of them are attached to a withdrawal. */
  unpaidIntentsPerSecond: number;
  /** Share of the outcomes that are disputed. */
  disputed: number;
  /** Share of the off-ramps that are followed by a stream. */
  followed: number;
  /** The number of webhooks registered during the run, besides those of the start. */
  laterWebhooks: number;
  everyMs: {
    return: number;
    refresh: number;
    tick: number;
    reconcile: number;
    invalidate: number;
    webhook: number;
  };
}

export const defaultSettings: TrafficSettings = {
  readsPerSecond: 10,
  returningReaders: 60,
  offRampsAtOnce: 8,
  unpaidIntentsPerSecond: 2,
  disputed: 0.4,
  followed: 0.5,
  laterWebhooks: 6,
  everyMs: {
    return: 5_000,
    refresh: 6_000,
    tick: 8_000,
    reconcile: 4_000,
    invalidate: 20_000,
    webhook: 20_000,
  },
};
