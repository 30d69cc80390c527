export type Log = (line: string) => void;

/** A log that writes these secrets as `[secret]`: nobody knows what the text of an error repeats. */
export function createLog(secrets: readonly (string | undefined)[], write: Log): Log {
  const given = secrets.filter((secret) => secret !== undefined && secret !== '') as string[];
  return (line) => write(given.reduce((text, secret) => text.replaceAll(secret, '[secret]'), line));
}
