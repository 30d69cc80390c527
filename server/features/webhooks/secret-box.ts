import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Secrets of webhooks as they are stored. */
export interface SecretBox {
  /** `context` (the webhook's id) is bound to it: what is sealed for one webhook cannot be opened as another's. */
  seal(secret: string, context: string): string;
  /** Throws SealedSecretError for what was sealed with another key or context, or changed. */
  open(sealed: string, context: string): string;
  /** Whether it is stored in another way than `seal` would store it now. */
  isOutdated(sealed: string): boolean;
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
 * AES-256-GCM under `key` (64 hex digits), a fresh 96-bit nonce each time (NIST SP 800-38D section 8.2.2). Without a
 * key, which production refuses to start without, secrets are stored as they are and say so.
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
        // The one thing that fails here is authentication; its error says nothing more.
        throw new SealedSecretError();
      }
    },
    isOutdated: (sealed) => keyBytes !== undefined && sealed.startsWith(clearPrefix),
  };
}
