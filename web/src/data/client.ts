import { createClient } from '@fairlead/contract/client';
import { learnTime } from './service-clock.js';

/** The one client of the page. It does not retry by itself: `useAnswer` shows why it waits, and for how long. */
export const client = createClient('', {
  retry: false,
  // Called as a bare function: as a method of another object, the browser's fetch throws.
  async fetch(input, init) {
    const response = await globalThis.fetch(input, init);
    learnTime(response.headers);
    return response;
  },
});
