/** A typed secret key without the white space that copying adds; or why it cannot be one, before it is tried. */
export function readSecretKey(typed: string): string | { lack: 'empty' | 'public' } {
  const key = typed.replaceAll(/\s/g, '');
  if (key === '') return { lack: 'empty' };
  return /^G[A-Z2-7]{55}$/.test(key) ? { lack: 'public' } : key;
}
