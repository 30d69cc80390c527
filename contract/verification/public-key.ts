import { z } from 'zod';
import { parsePublicKey, StrkeyError } from './strkey.js';

/** Schema of a public key as text; the value stays as given, and a refusal says why. `parsePublicKey` reads it. */
export const publicKeyText = z
  .string()
  .max(128)
  .superRefine((text, context) => {
    try {
      parsePublicKey(text);
    } catch (error) {
      if (!(error instanceof StrkeyError)) throw error;
      context.addIssue({ code: z.ZodIssueCode.custom, message: error.message });
    }
  })
  // Repeats the form as a pattern, which the OpenAPI document and its generators can express.
  .pipe(z.string().regex(/^(G[A-Z2-7]{55}|[0-9a-fA-F]{64})$/))
  .describe(
    'Ed25519 public key: a `G…` account (SEP-23 strkey) or 64 hex digits. `M…` and `C…` are refused.',
  );
