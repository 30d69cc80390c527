/** `mongodb[+srv]://[user[:password]@]host[,host…]`, then the database, then the options. */
const uriParts = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * The same servers, users and options with another database. The database of a URI is also where its user is
 * looked up unless `authSource` says otherwise, so that is kept.
 * @throws Error when it is no MongoDB URI.
 */
export function withDatabase(uri: string, database: string): string {
  const parts = uriParts.exec(uri);
  // The URI may hold a password: it is not repeated here.
  if (parts === null)
    throw new Error('MONGODB_URI is not of the form mongodb://host[:port]/[database][?options]');
  const [, servers = '', oldDatabase = '', options = ''] = parts;
  const query = new URLSearchParams(options);
  if (servers.includes('@') && oldDatabase !== '' && !query.has('authSource')) {
    query.set('authSource', decodeURIComponent(oldDatabase));
  }
  return `${servers}/${encodeURIComponent(database)}${query.size > 0 ? `?${query}` : ''}`;
}
