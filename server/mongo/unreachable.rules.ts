/** What the driver knows of one host, as far as it is told here. */
interface Host {
  type: string;
  error?: Error | null;
}

/** The hosts of an address: what follows the credentials, whatever characters those have, up to the database. */
function hostsOf(uri: string): string {
  return /^(?:.*@|[^/]+\/\/)([^/?]+)/.exec(uri)?.[1] ?? 'the database';
}

/** The error of a failed server selection holds the driver's description of all hosts as its `reason`. */
function topologyOf(
  error: unknown,
): { setName: string | null; servers: ReadonlyMap<string, Host> } | undefined {
  if (!(error instanceof Error)) return undefined;
  const reason = 'reason' in error ? error.reason : undefined;
  const isTopology = typeof reason === 'object' && reason !== null && 'servers' in reason;
  if (!isTopology || !(reason.servers instanceof Map)) return topologyOf(error.cause);
  const setName = 'setName' in reason && typeof reason.setName === 'string' ? reason.setName : null;
  return { setName, servers: reason.servers };
}

function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause);
}

/** Why no primary of the database was found, host by host, with what to do. */
export function whyUnreachable(error: unknown, uri: string): string {
  const found = topologyOf(error);
  if (found === undefined) return `${hostsOf(uri)}: ${error instanceof Error ? error.message : error}`;
  const hosts = [...found.servers].map(([name, host]) => `${name} ${whyHost(host)}`);
  // The driver forgets hosts that name another set than the address does, or none.
  if (found.setName && [...found.servers.values()].every(({ type, error }) => type === 'Unknown' && !error))
    return (
      `${hostsOf(uri)} is not of the replica set ${found.setName} that MONGODB_URI names: correct replicaSet there ` +
      '(rs.status().set on the host tells its name), or start mongod with --replSet'
    );
  return hosts.join('; ');
}

function whyHost({ type, error }: Host): string {
  if (type === 'RSGhost') return 'is not initiated as a member of a replica set: run rs.initiate() there';
  if (type.startsWith('RS')) return 'has no primary in its set: see rs.status() there';
  const code = codeOf(error);
  if (code === 'ECONNREFUSED')
    return `refuses connections (${code}): start mongod there, or correct MONGODB_URI`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `is a name that cannot be found (${code}): correct MONGODB_URI, or look at DNS`;
  const said = error?.message ?? 'no answer';
  return `cannot be reached (${said}): see that its machine is up and that no firewall is between`;
}
