/** A secret of a webhook as stored; the last in the list is the present one and has no end. */
export interface StoredSecret {
  sealed: string;
  since: Date;
  until: Date | null;
}

/** More would not fit a header that receivers read; who rotates this often has lost the oldest but one anyway. */
const maxKept = 3;

/** Those in force, oldest first. */
export function secretsInForce(secrets: readonly StoredSecret[], nowMs: number): StoredSecret[] {
  return secrets.filter(({ until }) => until === null || until.getTime() > nowMs);
}

/**
 * The list with a new secret in force from now on. What was in force ends with the overlap at the latest; the oldest
 * goes on until then, since it signs `X-Fairlead-Signature`. An overlap of 0 ends all of them at once.
 */
export function rotateSecrets(
  secrets: readonly StoredSecret[],
  sealed: string,
  nowMs: number,
  overlapMs: number,
): StoredSecret[] {
  const endsAt = new Date(nowMs + overlapMs);
  const ending = secretsInForce(secrets, nowMs).map((secret) => ({
    ...secret,
    until: secret.until !== null && secret.until < endsAt ? secret.until : endsAt,
  }));
  const [oldest, ...others] = overlapMs === 0 ? [] : ending;
  const kept = oldest === undefined ? [] : [oldest, ...others.slice(-(maxKept - 2))];
  return [...kept, { sealed, since: new Date(nowMs), until: null }];
}
