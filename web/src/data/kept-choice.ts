/**
 * What the reader chose before, such as a language; null if nothing is stored. In another site's frame, a browser may forbid
 * a page to store anything, and throws; in an app's web view there may be no storage. The page then works without.
 */
export function keptChoice(name: string): string | null {
  try {
    return storage()?.getItem(name) ?? null;
  } catch (error) {
    if (isForbidden(error)) return null;
    throw error;
  }
}

export function keepChoice(name: string, value: string): void {
  try {
    storage()?.setItem(name, value);
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
}

/** Replaces a choice that the address names, such as `?lang=fr`, by the new one, so that a shared link shows the same. */
export function nameInAddress(name: string, value: string): void {
  const url = new URL(location.href);
  if (!url.searchParams.has(name)) return;
  url.searchParams.set(name, value);
  history.replaceState(history.state, '', url);
}

/** The types of the DOM do not say that it may be null. */
const storage = (): Storage | null => localStorage;

function isForbidden(error: unknown): boolean {
  return error instanceof DOMException && ['SecurityError', 'QuotaExceededError'].includes(error.name);
}
