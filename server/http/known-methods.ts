const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** A method is text of a client: in metrics and traces all unknown ones share a name, so that there are few names. */
export function isKnownMethod(method: string): boolean {
  return knownMethods.has(method);
}
