const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** The client chooses the method: metrics and traces use one name for all unknown ones, so that there are few names. */
export function isKnownMethod(method: string): boolean {
  return knownMethods.has(method);
}
