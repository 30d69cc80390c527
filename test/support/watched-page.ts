import type { Page } from 'playwright-core';

/** Runs in the page. */
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violated: ' + event.violatedDirective + ' by ' + event.blockedURI));`;

/** The page's console errors, policy violations and requests, from its first byte on. */
export interface Watched {
  page: Page;
  complaints: string[];
  requested: URL[];
}

/** Call it before the page is opened. */
export async function watchPage(page: Page): Promise<Watched> {
  const watched: Watched = { page, complaints: [], requested: [] };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) watched.complaints.push(message.text());
  });
  page.on('pageerror', (error) => watched.complaints.push(error.message));
  page.on('requestfailed', (request) => {
    // Requests that the page aborts when its reader leaves are not failures.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      watched.complaints.push(`${request.url()} failed`);
  });
  page.on('request', (request) => watched.requested.push(new URL(request.url())));
  // Violations are also collected in the page itself, so that the test does not depend on a browser's wording.
  await page.addInitScript({ content: reportViolations });
  return watched;
}

/** The origins of everything that the page asked for over the network. */
export function originsOf({ requested }: Watched): string[] {
  const loaded = requested.filter(({ protocol }) => !['data:', 'blob:'].includes(protocol));
  return [...new Set(loaded.map(({ origin }) => origin))];
}
