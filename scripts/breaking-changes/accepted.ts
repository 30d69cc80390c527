import type { Accepted } from './gate.rules.js';

const unstated = 'refused by 2.3.0 as well, by a rule that its document did not state:';

const address = 'an address holds no credentials, white space or backslash, and no dot after its host';

/** What the gate reports and nobody can notice. To be emptied with each release. */
export const accepted: readonly Accepted[] = [
  { where: 'getRates: query parameter amount', reason: `${unstated} an amount is more than zero` },
  { where: 'createIntent: request body /sellAmount', reason: `${unstated} an amount is more than zero` },
  { where: 'createIntent: request body /expiresAt', reason: `${unstated} an instant exists` },
  { where: 'createWebhook: request body /url', reason: `${unstated} ${address}` },
  { where: 'updateWebhook: request body /url', reason: `${unstated} ${address}` },
];
