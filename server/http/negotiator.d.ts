/** The part that is used here: the published types are of the last major version, which had no `preferred`. */
declare module 'negotiator' {
  class Negotiator {
    constructor(request: { headers: Record<string, string> });
    /** Those of `available` that are acceptable, best first; among equals, those first that `preferred` names first. */
    encodings(available: string[], options: { preferred: string[] }): string[];
    /** Those of `available` that are acceptable, best first; among equals, as they are given. */
    mediaTypes(available: string[]): string[];
  }
  export = Negotiator;
}
