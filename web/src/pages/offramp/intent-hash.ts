/**
 * The hash in what a reader pasted: the hash itself in upper or lower case, or an address that holds one. Undefined where
 * there is none, or more than one.
 */
export function readIntentHash(text: string): string | undefined {
  const found = text.toLowerCase().match(/(?<![0-9a-z])[0-9a-f]{64}(?![0-9a-z])/g);
  return found?.length === 1 ? found[0] : undefined;
}
