/** `mongodb[+srv]://[user[:password]@]host[,host…]`, then the database, then the options. */
const uriParts = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * The same servers, users and options with another database. A URI's database is also where its user is looked up unless
 * `authSource` is given, so that is preserved.
 * @throws Error if it is not a MongoDB URI.
 */
export function withDatabase(uri: string, database: string): string {
  const parts = uriParts.exec(uri);
  // The URI may contain a password, so the message does not repeat it.
  if (parts === null)
    throw new Error('MONGODB_URI is not of the form mongodb://host[:port]/[database][?options]');
  const [, servers = '', oldDatabase = '', options = ''] = parts;
  const query = new URLSearchParams(options);
  if (servers.includes('@') && oldDatabase !== '' && !query.has('authSource')) {
    query.set('authSource', decodeURIComponent(oldDatabase));
  }
  return `${servers}/${encodeURIComponent(database)}${query.size > 0 ? `?${query}` : ''}`;
}
