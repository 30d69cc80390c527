export interface ServiceClock {
  /** The service's time in epoch milliseconds; this device's time until an answer has brought the service's. */
  now(): number;
  /** Reads the `Date` header of an answer. */
  learn(headers: Headers): void;
}

/**
 * The time by which the service's instants are to be read, since this device's clock may be minutes off. An answer says
 * when it was made, in whole seconds, and arrives later, out of a cache much later: so the latest time is the best one.
 * `steady` counts milliseconds from anywhere, whatever becomes of the device's clock.
 */
export function createServiceClock(device: { clock: () => number; steady: () => number }): ServiceClock {
  let steadyZero: number | undefined;
  return {
    now: () => (steadyZero === undefined ? device.clock() : steadyZero + device.steady()),
    learn(headers) {
      const told = Date.parse(headers.get('date') ?? '') - device.steady();
      if (!Number.isNaN(told)) steadyZero = Math.max(told, steadyZero ?? told);
    },
  };
}

const clock = createServiceClock({ clock: Date.now, steady: () => performance.now() });

/** What time it is at the service. Everything that the page shows or waits for goes by it. */
export const serviceNow = clock.now;
export const learnTime = clock.learn;
