import { answerBreaks } from './answer-changes.rules.js';
import { type Both, type Break, breaksOf, contentBreaks } from './breaks.rules.js';
import { checked, type OpenApi, type Operation, type Parameter } from './document-parts.rules.js';
import type { Direction } from './faults.rules.js';
import { securityBreaks } from './security-changes.rules.js';

/** What a change of an operation breaks. A webhook's request goes to the receivers, and the service reads the answer. */
export function operationBreaks(
  operation: Both<Operation>,
  documents: Both<OpenApi>,
  direction: Direction,
): Break[] {
  const { old, now } = { old: checked('operation', operation.old), now: checked('operation', operation.now) };
  const opposite = direction === 'request' ? 'answer' : 'request';
  return [
    ...nameBreaks({ old, now }, direction),
    ...securityBreaks({ old, now }, documents, direction),
    ...parameterBreaks({ old: old.parameters ?? [], now: now.parameters ?? [] }, documents, direction),
    ...bodyBreaks({ old: old.requestBody, now: now.requestBody }, documents, direction),
    ...answerBreaks({ old: old.responses, now: now.responses }, documents, opposite),
  ];
}

/** Generated clients name their functions by the id, and their classes by the tag. */
function nameBreaks({ old, now }: Both<Operation>, direction: Direction): Break[] {
  const breaks: Break[] = [];
  if (old.operationId !== now.operationId)
    breaks.push({ place: 'operationId', sentence: `was ${old.operationId}, is ${now.operationId} now` });
  if (direction === 'request' && old.tags?.[0] !== now.tags?.[0])
    breaks.push({ place: 'tag', sentence: `was ${old.tags?.[0]}, is ${now.tags?.[0]} now` });
  return breaks;
}

function parameterBreaks(lists: Both<Parameter[]>, documents: Both<OpenApi>, direction: Direction): Break[] {
  const [old, now] = [byName(lists.old), byName(lists.now)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((place) => {
    const [before, after] = [old.get(place), now.get(place)];
    if (before === undefined)
      return after?.required === true && direction === 'request'
        ? [{ place, sentence: 'is new and has to be sent' }]
        : [];
    if (after === undefined)
      return [{ place, sentence: direction === 'request' ? 'is no longer read' : 'is no longer there' }];
    return [
      ...requiredBreaks({ old: before, now: after }, place, direction),
      ...breaksOf({ old: before.schema, now: after.schema }, { documents, direction, place }),
    ];
  });
}

/** Path parameters are identified by their position, because the path itself names them. */
function byName(parameters: readonly Parameter[]): Map<string, Parameter> {
  return new Map(
    parameters.map((one) => {
      const name = one.in === 'header' ? one.name.toLowerCase() : one.name;
      return [`${one.in} parameter ${name}`, checked('parameter', one)];
    }),
  );
}

function requiredBreaks(
  { old, now }: Both<{ required?: boolean }>,
  place: string,
  direction: Direction,
): Break[] {
  if (direction === 'request')
    return now.required === true && old.required !== true ? [{ place, sentence: 'has to be sent now' }] : [];
  return old.required === true && now.required !== true ? [{ place, sentence: 'may be missing now' }] : [];
}

function bodyBreaks(
  { old, now }: Both<Operation['requestBody']>,
  documents: Both<OpenApi>,
  direction: Direction,
): Break[] {
  const place = direction === 'request' ? 'request body' : 'event';
  if (old === undefined)
    return now?.required === true && direction === 'request'
      ? [{ place, sentence: 'is new and has to be sent' }]
      : [];
  if (now === undefined)
    return [{ place, sentence: direction === 'request' ? 'is no longer read' : 'is no longer there' }];
  const bodies = { old: checked('requestBody', old), now: checked('requestBody', now) };
  return [
    ...requiredBreaks(bodies, place, direction),
    ...contentBreaks({ old: old.content, now: now.content }, { documents, direction, place }),
  ];
}
