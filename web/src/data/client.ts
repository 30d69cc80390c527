import { createClient } from '@fairlead/contract/client';
import { keepChoice, keptChoice } from './kept-choice.js';
import { createPacedFetch } from './paced-fetch.js';
import { serviceUrl } from './service.js';
import { learnTime, serviceNow } from './service-clock.js';
import { sleep } from './sleep.js';

const storedUnder = 'fairlead-new-amounts';

const pacedFetch = createPacedFetch({
  // Called as a bare function: as a method of another object, the browser's fetch throws.
  async fetch(input, init) {
    const response = await globalThis.fetch(input, init);
    learnTime(response.headers);
    return response;
  },
  clock: serviceNow,
  sleep,
  stored: { read: () => keptChoice(storedUnder), write: (text) => keepChoice(storedUnder, text) },
});

/** The one client of the page. It does not retry by itself: `useAnswer` shows why it waits, and for how long. */
export const client = createClient(serviceUrl, { retry: false, fetch: pacedFetch });
