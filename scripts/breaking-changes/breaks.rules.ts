import { type Content, checked, type OpenApi } from './document-parts.rules.js';
import type { Direction } from './faults.rules.js';
import { schemaFaults } from './schema-changes.rules.js';
import type { Schema } from './schema-forms.rules.js';

export interface Both<T> {
  old: T;
  now: T;
}

/** One thing that a client relied on and that no longer holds. */
export interface Break {
  /** The position within the operation: `answer 200 /quotes/[]/rate`. */
  place: string;
  /** The same place from the innermost named schema on, if there is one: `RateQuote/rate`. */
  schema?: string;
  sentence: string;
}

export interface Context {
  documents: Both<OpenApi>;
  direction: Direction;
  place: string;
}

/** What a change of a schema breaks at a place. */
export function breaksOf(schemas: Both<Schema>, { documents, direction, place }: Context): Break[] {
  const { old, now } = documents;
  const components = { old: old.components?.schemas ?? {}, now: now.components?.schemas ?? {} };
  return schemaFaults(schemas, components, direction).map(({ path, at, sentence }) => ({
    place: path === '' ? place : `${place} ${path}`,
    ...(at === '' || at.startsWith('/') ? {} : { schema: at }),
    sentence,
  }));
}

/** What a change of bodies breaks, for each media type separately. An additional one breaks nothing: clients choose. */
export function contentBreaks({ old, now }: Both<Content>, context: Context): Break[] {
  return Object.entries(old).flatMap(([type, before]) => {
    const after = now[type];
    const place = type === 'application/json' ? context.place : `${context.place} as ${type}`;
    if (after === undefined) {
      const sentence =
        context.direction === 'request' ? `${type} is no longer taken` : `${type} is no longer answered`;
      return [{ place: context.place, sentence }];
    }
    const schemas = { old: checked('media', before).schema ?? {}, now: checked('media', after).schema ?? {} };
    return breaksOf(schemas, { ...context, place });
  });
}
