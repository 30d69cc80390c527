/** The part that is used here: the published types describe the previous major version, which had no `preferred`. */
declare module 'negotiator' {
  class Negotiator {
    constructor(request: { headers: Record<string, string> });
    /** The acceptable ones of `available`, best first; equally good ones are in the order of `preferred`. */
    encodings(available: string[], options: { preferred: string[] }): string[];
    /** The acceptable ones of `available`, best first; equally good ones are in the given order. */
    mediaTypes(available: string[]): string[];
  }
  export = Negotiator;
}
