import type { Schemas } from './schema-forms.rules.js';

/** `request`: what clients send. `answer`: what they receive, the events of webhooks included. */
export type Direction = 'request' | 'answer';

/** Something that clients may rely on and that no longer holds. */
export interface Fault {
  /** The path from the body or parameter: `/quotes/[]/rate`. */
  path: string;
  /** The path from the innermost named schema: `RateQuote/rate`. */
  at: string;
  sentence: string;
}

/** The position of a comparison, and the pairs of components on the way there: a schema may contain itself. */
export interface Place extends Omit<Fault, 'sentence'> {
  within: readonly string[];
}

/**
 * Every value of `from` has to fit into `to`: what clients sent so far has to fit what is read now, and what is answered
 * now has to fit what clients expect. So `from` is the older document for requests, and the newer one for answers.
 */
export interface Comparison {
  direction: Direction;
  from: Schemas;
  to: Schemas;
}

export function inside(place: Place, step: string): Place {
  return { ...place, path: `${place.path}/${step}`, at: `${place.at}/${step}` };
}

export function fault({ path, at }: Place, sentence: string): Fault {
  return { path, at, sentence };
}

/** The sentence for the direction at hand. */
export function sayFor(direction: Direction, request: string, answer: string): string {
  return direction === 'request' ? request : answer;
}
