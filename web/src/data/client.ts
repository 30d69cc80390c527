import { createClient } from '@fairlead/contract/client';
import { createPacedFetch } from './paced-fetch.js';
import { serviceUrl } from './service.js';
import { sleep } from './sleep.js';

const pacedFetch = createPacedFetch({
  // Called as a bare function: as a method of another object, the browser's fetch throws.
  fetch: (input, init) => globalThis.fetch(input, init),
  clock: Date.now,
  sleep,
});

/** The one client of the page. It retries nothing by itself: `useAnswer` shows why, and for how long, it waits. */
export const client = createClient(serviceUrl, { retry: false, fetch: pacedFetch });
