/**
 * What the reader chose before, such as a language; null where nothing is kept. A browser may forbid a page in somebody
 * else's frame to keep anything, and throws then: such a page goes on without.
 */
export function keptChoice(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch (error) {
    if (isForbidden(error)) return null;
    throw error;
  }
}

export function keepChoice(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
}

/** Where the address names a choice, such as `?lang=fr`, it names the new one, so that a shared link shows what is seen. */
export function nameInAddress(name: string, value: string): void {
  const url = new URL(location.href);
  if (!url.searchParams.has(name)) return;
  url.searchParams.set(name, value);
  history.replaceState(history.state, '', url);
}

function isForbidden(error: unknown): boolean {
  return error instanceof DOMException && ['SecurityError', 'QuotaExceededError'].includes(error.name);
}
