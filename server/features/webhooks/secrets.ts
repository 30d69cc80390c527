import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { standardSecret } from '../../../contract/verification/verify-webhook.js';

/** A secret of a webhook as stored; the last in the list is the current one and has no end. */
export interface StoredSecret {
  sealed: string;
  since: Date;
  until: Date | null;
}

/** Each adds a signature to a header that receivers read, so their number is bounded. */
const maxKept = 3;

/** The secrets in force, oldest first. */
export function secretsInForce(secrets: readonly StoredSecret[], nowMs: number): StoredSecret[] {
  return secrets.filter(({ until }) => until === null || until.getTime() > nowMs);
}

/**
 * The list with a new secret that is in force from now on. The previous secrets end with the overlap at the latest. The
 * oldest is kept until then, since it signs `X-Fairlead-Signature`. An overlap of 0 ends all of them immediately.
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

/** A secret as registered, inside JSON, in hex and base64, and as the libraries of Standard Webhooks write it. */
export function formsOf(secret: string): string[] {
  const standard = standardSecret(secret);
  const bytes = Buffer.from(secret);
  return [
    standard,
    standard.slice('whsec_'.length),
    bytes.toString('base64'),
    bytes.toString('hex'),
    JSON.stringify(secret).slice(1, -1),
    secret,
  ];
}

/** Seals secrets for storage, and opens them. */
export interface SecretBox {
  /** Binds the result to `context` (the webhook's id): a secret sealed for one webhook cannot be opened for another. */
  seal(secret: string, context: string): string;
  /** Throws SealedSecretError if `sealed` was changed, or sealed with another key or context. */
  open(sealed: string, context: string): string;
  /** Whether the secret is stored in the clear although there is a key now. */
  isOutdated(sealed: string): boolean;
  /** False without a key: secrets are then stored in the clear. */
  hasKey: boolean;
}

/** A stored secret cannot be read: WEBHOOK_KEY is missing or not the one it was sealed with. */
export class SealedSecretError extends Error {
  constructor() {
    super('a webhook secret cannot be opened: WEBHOOK_KEY is missing or is not the key it was sealed with');
    this.name = 'SealedSecretError';
  }
}

const ivBytes = 12;
const tagBytes = 16;
const sealedPrefix = 'gcm1:';
const clearPrefix = 'clear:';

/**
 * AES-256-GCM under `key` (64 hex digits), with a fresh 96-bit nonce each time (NIST SP 800-38D section 8.2.2). Without a
 * key secrets are stored in the clear and marked as such; production does not start without one.
 */
export function createSecretBox(key: string | undefined): SecretBox {
  const keyBytes = key === undefined ? undefined : Buffer.from(key, 'hex');
  return {
    seal(secret, context) {
      if (keyBytes === undefined) return clearPrefix + secret;
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', keyBytes, iv).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return sealedPrefix + sealed.toString('base64');
    },
    open(sealed, context) {
      if (sealed.startsWith(clearPrefix)) return sealed.slice(clearPrefix.length);
      const bytes = Buffer.from(sealed.slice(sealedPrefix.length), 'base64');
      if (keyBytes === undefined || bytes.length < ivBytes + tagBytes) throw new SealedSecretError();
      const decipher = createDecipheriv('aes-256-gcm', keyBytes, bytes.subarray(0, ivBytes))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-tagBytes));
      try {
        const opened = decipher.update(bytes.subarray(ivBytes, -tagBytes));
        return Buffer.concat([opened, decipher.final()]).toString('utf8');
      } catch {
        // Only authentication can fail here, and its error says nothing more.
        throw new SealedSecretError();
      }
    },
    isOutdated: (sealed) => keyBytes !== undefined && sealed.startsWith(clearPrefix),
    hasKey: keyBytes !== undefined,
  };
}
