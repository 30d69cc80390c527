import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { standardSecret } from '../../contract/verification/verify-webhook.js';
import type { Clock, Logger } from '../ports.js';
import type { StoredSecret, WebhookDocument } from './webhook-store.js';

/** The secrets in force, oldest first. */
export function secretsInForce(secrets: readonly StoredSecret[], nowMs: number): StoredSecret[] {
  return secrets.filter(({ until }) => until === null || until.getTime() > nowMs);
}

/**
 * The list with a new secret that is in force from now on, beside the oldest one in force, which signs
 * `X-Fairlead-Signature` until the overlap ends, or until it was to end before. An overlap of 0 ends it immediately.
 */
export function rotateSecrets(
  secrets: readonly StoredSecret[],
  sealed: string,
  nowMs: number,
  overlapMs: number,
): StoredSecret[] {
  const endsAt = new Date(nowMs + overlapMs);
  const [oldest] = overlapMs === 0 ? [] : secretsInForce(secrets, nowMs);
  const until = oldest?.until && oldest.until < endsAt ? oldest.until : endsAt;
  const present = { sealed, since: new Date(nowMs), until: null };
  return oldest === undefined ? [present] : [{ ...oldest, until }, present];
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
export type SecretBox = ReturnType<typeof createSecretBox>;

/** Stands in for WEBHOOK_KEY where none is set, which production refuses. */
export const developmentKey = '00'.repeat(32);
const ivBytes = 12;
const tagBytes = 16;

/** AES-256-GCM under `key` (64 hex digits), with a fresh 96-bit nonce each time (NIST SP 800-38D section 8.2.2). */
export function createSecretBox(key: string) {
  const keyBytes = Buffer.from(key, 'hex');
  return {
    /** Binds the result to `context` (the webhook's id): a secret sealed for one webhook cannot be opened for another. */
    seal(secret: string, context: string): string {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', keyBytes, iv).setAAD(Buffer.from(context));
      const sealed = [iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString('base64');
    },
    /** Undefined if `sealed` was changed, or sealed with another key or context. */
    open(sealed: string, context: string): string | undefined {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length < ivBytes + tagBytes) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', keyBytes, bytes.subarray(0, ivBytes))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-tagBytes));
      try {
        const opened = decipher.update(bytes.subarray(ivBytes, -tagBytes));
        return Buffer.concat([opened, decipher.final()]).toString('utf8');
      } catch {
        // Only authentication can fail here, and its error says nothing more.
        return undefined;
      }
    },
  };
}

/** A registered webhook as the sender needs it. */
export interface Recipient {
  url: string;
  /** Grows with every change by an admin. */
  revision: number;
  /** The secrets in force, oldest first; at least one. */
  secrets: readonly string[];
  /** The newest secret in force; undefined if it cannot be opened, so that only earlier ones sign. */
  presentSecret: string | undefined;
  /** Every form of a secret that the receiver may echo; each is cut out of its answers. */
  secretForms: readonly string[];
}

export type OpenSecrets = ReturnType<typeof createOpenSecrets>;

export function createOpenSecrets(deps: { box: SecretBox; clock: Clock; logger: Logger }) {
  const { box, clock, logger } = deps;
  const reported = new Set<string>();

  function open(sealed: string, webhookId: string): string | undefined {
    const secret = box.open(sealed, webhookId);
    if (secret !== undefined || reported.has(sealed)) return secret;
    // Once, and not for every delivery that waits.
    logger.error(
      { webhookId },
      'webhook secret signs nothing: WEBHOOK_KEY is not the key it was sealed with',
    );
    reported.add(sealed);
    return undefined;
  }

  /** Undefined if none of the secrets in force can be opened: deliveries wait, since nothing can be signed. */
  return ({ _id, url, revision, secrets: stored }: WebhookDocument): Recipient | undefined => {
    const inForce = new Set(secretsInForce(stored, clock()));
    const opened = stored.map((one) => ({ one, secret: open(one.sealed, _id) }));
    const ofForce = opened.filter(({ one }) => inForce.has(one));
    const secrets = ofForce.flatMap(({ secret }) => secret ?? []);
    if (secrets.length === 0) return undefined;
    const secretForms = opened.flatMap(({ secret }) => (secret === undefined ? [] : formsOf(secret)));
    return { url, revision, secrets, presentSecret: ofForce.at(-1)?.secret, secretForms };
  };
}
