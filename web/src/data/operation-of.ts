/** Every fixed segment of the API's paths; any other one is a parameter. A test compares them with the document. */
const words = new Set([
  'api',
  'v1',
  'public',
  'admin',
  'anchors',
  'batches',
  'corridors',
  'dispute',
  'disputes',
  'entries',
  'health',
  'history',
  'intent',
  'leaderboard',
  'observations',
  'offramp',
  'proof',
  'publisher',
  'rates',
  'reputation',
  'scores',
  'snapshot',
  'status',
  'stream',
  'transaction',
]);

/** `GET /api/rates/:`: requests of one operation share a limit. */
export function operationOf(method: string, pathname: string): string {
  const segments = pathname
    .split('/')
    .map((segment) => (segment === '' || words.has(segment) ? segment : ':'));
  return `${method} ${segments.join('/')}`;
}
