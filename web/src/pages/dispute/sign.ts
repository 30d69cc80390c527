import { StrkeyError, sep53Hash, signDispute } from '@fairlead/contract';

/** SHA-256 of the message as SEP-53 has it: the 32 bytes that the key signs, in hex. */
export function digestOf(intentHash: string): string {
  return Array.from(sep53Hash(intentHash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The signature and whose it is; undefined where the text is not an `S…` secret key. */
export function signWithKey(
  intentHash: string,
  secretKey: string,
): { publicKey: string; signature: string } | undefined {
  try {
    const { publicKey, signature } = signDispute({ intentHash, anchorId: '', reason: '', secretKey });
    return { publicKey, signature };
  } catch (error) {
    if (error instanceof StrkeyError) return undefined;
    throw error;
  }
}
