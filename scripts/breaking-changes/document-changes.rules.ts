import type { Both, Break } from './breaks.rules.js';
import type { OpenApi, Operation } from './document-parts.rules.js';
import type { Direction } from './faults.rules.js';
import { operationBreaks } from './operation-changes.rules.js';

/** A break and the operation where it is, by the id that the older document has for it. */
export interface Finding extends Break {
  operationId: string;
}

/** Everything that the newer document breaks for clients of the older one, and for receivers of its webhooks. */
export function findBreaks(old: OpenApi, now: OpenApi): Finding[] {
  const documents = { old, now };
  return [
    ...listBreaks({ old: operationsIn(old.paths), now: operationsIn(now.paths) }, documents, 'request'),
    ...listBreaks(
      { old: operationsIn(old.webhooks ?? {}), now: operationsIn(now.webhooks ?? {}) },
      documents,
      'answer',
    ),
  ];
}

interface Listed {
  /** `GET /api/rates/{corridor}` */
  name: string;
  operation: Operation;
}

/** Operations by method and path; the names of path parameters do not matter. */
function operationsIn(paths: OpenApi['paths']): Map<string, Listed> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const name = `${method.toUpperCase()} ${path}`;
        return [name.replaceAll(/\{[^}]+\}/g, '{}'), { name, operation }] as const;
      }),
    ),
  );
}

function listBreaks(
  lists: Both<Map<string, Listed>>,
  documents: Both<OpenApi>,
  direction: Direction,
): Finding[] {
  return [...lists.old].flatMap(([key, old]) => {
    const { operationId } = old.operation;
    const now = lists.now.get(key);
    if (now === undefined) {
      const moved = [...lists.now.values()].find(({ operation }) => operation.operationId === operationId);
      const sentence = moved === undefined ? 'is no longer there' : `is ${moved.name} now`;
      return [{ operationId, place: old.name, sentence }];
    }
    const breaks = operationBreaks({ old: old.operation, now: now.operation }, documents, direction);
    return breaks.map((one) => ({ operationId, ...one }));
  });
}
