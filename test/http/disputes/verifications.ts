import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** How many messages a dispute's signature may be over (contract/sep53.ts, server/crypto/ed25519.ts). */
const forms = 3;

export interface Verifications {
  /** Signatures that OpenSSL was really asked about since the counting began; each dispute asks for up to three messages. */
  count(): number;
  stop(): void;
}

/** Counts the calls that reach node:crypto, whatever the service believes it does; each is carried out all the same. */
export function countVerifications(): Verifications {
  const { verify } = crypto;
  let calls = 0;
  const counting = (...args: unknown[]) => {
    calls += 1;
    return Reflect.apply(verify, crypto, args);
  };
  const install = (value: unknown) => {
    Object.assign(crypto, { verify: value });
    // What was imported by name is bound to the module's exports, which follow its default export only now.
    syncBuiltinESMExports();
  };
  install(counting);
  return { count: () => Math.ceil(calls / forms), stop: () => install(verify) };
}
