import { componentName } from '../openapi/json-schema.js';
import {
  type Comparison,
  type Direction,
  type Fault,
  fault,
  inside,
  type Place,
  sayFor,
} from './faults.rules.js';
import { memberFaults } from './member-changes.rules.js';
import { type Form, formsOf, resolved, type Schema, type Schemas } from './schema-forms.rules.js';
import { valueFaults } from './value-changes.rules.js';

/** What a change of a schema breaks for clients that send or receive such a value. */
export function schemaFaults(
  schema: { old: Schema; now: Schema },
  schemas: { old: Schemas; now: Schemas },
  direction: Direction,
): Fault[] {
  const place: Place = { path: '', at: '', within: [] };
  return direction === 'request'
    ? faultsBetween(schema.old, schema.now, { direction, from: schemas.old, to: schemas.now }, place)
    : faultsBetween(schema.now, schema.old, { direction, from: schemas.now, to: schemas.old }, place);
}

function faultsBetween(from: Schema, to: Schema, all: Comparison, outer: Place): Fault[] {
  const pair = from.$ref !== undefined && to.$ref !== undefined ? [`${from.$ref} ${to.$ref}`] : [];
  if (pair.some((one) => outer.within.includes(one))) return [];
  const old = all.direction === 'request' ? from : to;
  const at = old.$ref === undefined ? outer.at : componentName(old.$ref);
  const place = { path: outer.path, at, within: [...outer.within, ...pair] };
  return [
    ...defaultFaults(from, to, all, place),
    ...discriminatorFaults(from, to, all, place),
    ...unionFaults(formsOf(from, all.from), formsOf(to, all.to), all, place),
  ];
}

/** What holds for clients that do not send the value; of answers, a default says nothing. */
function defaultFaults(from: Schema, to: Schema, all: Comparison, place: Place): Fault[] {
  if (all.direction === 'answer') return [];
  const old = from.default ?? resolved(from, all.from).default;
  const now = to.default ?? resolved(to, all.to).default;
  if (old === undefined || JSON.stringify(old) === JSON.stringify(now)) return [];
  const present = now === undefined ? 'there is none now' : `it is ${JSON.stringify(now)} now`;
  return [fault(place, `the default was ${JSON.stringify(old)}, ${present}`)];
}

function discriminatorFaults(from: Schema, to: Schema, all: Comparison, place: Place): Fault[] {
  const [mine, theirs] = [resolved(from, all.from).discriminator, resolved(to, all.to).discriminator];
  const [old, now] = all.direction === 'request' ? [mine, theirs] : [theirs, mine];
  if (old === undefined || old.propertyName === now?.propertyName) return [];
  return [fault(place, `the forms are no longer told apart by \`${old.propertyName}\``)];
}

function unionFaults(from: readonly Form[], to: readonly Form[], all: Comparison, place: Place): Fault[] {
  return from.flatMap((form) => {
    const fitting = to.filter((other) => typeFits(form, other));
    if (fitting.length === 0) return [fault(place, lostType(form, all.direction))];
    const tried = fitting.map((other) => formFaults(form, other, all, place));
    if (tried.some((faults) => faults.length === 0)) return [];
    const isAlone = fitting.length === 1 && from.filter(({ type }) => type === form.type).length === 1;
    const compared = isAlone ? 0 : fitting.findIndex((other) => isNamesake(form, other));
    return tried[compared] ?? [fault(place, lostForm(form, all.direction))];
  });
}

function typeFits(from: Form, to: Form): boolean {
  return to.type === undefined || from.type === to.type || (from.type === 'integer' && to.type === 'number');
}

function lostType({ type }: Form, direction: Direction): string {
  if (type === 'null') return sayFor(direction, 'null is no longer taken', 'may be null now');
  const name = type === undefined ? 'a value of any type' : `a value of type ${type}`;
  return sayFor(direction, `${name} is no longer taken`, `may be ${name} now`);
}

function lostForm(form: Form, direction: Direction): string {
  const name = form.name ?? tagOf(form) ?? form.type ?? 'any';
  return sayFor(direction, `the form ${name} is no longer taken`, `may have the new form ${name}`);
}

function isNamesake(a: Form, b: Form): boolean {
  return (a.name !== undefined && a.name === b.name) || (tagOf(a) !== undefined && tagOf(a) === tagOf(b));
}

/** The tag that distinguishes a form from the others of its union: its members that have a single value. */
function tagOf({ properties = {} }: Form): string | undefined {
  const tags = Object.entries(properties).flatMap(([key, { enum: values = [] }]) =>
    values.length === 1 ? [`${key}=${String(values[0])}`] : [],
  );
  return tags.length === 0 ? undefined : tags.join(' ');
}

function formFaults(from: Form, to: Form, all: Comparison, place: Place): Fault[] {
  const compare = (step: string, mine: Schema, theirs: Schema) =>
    faultsBetween(mine, theirs, all, inside(place, step));
  return [
    ...valueFaults(from, to, all.direction).map((sentence) => fault(place, sentence)),
    ...(to.items === undefined || from.type !== 'array' ? [] : compare('[]', from.items ?? {}, to.items)),
    ...memberFaults(from, to, { direction: all.direction, place, compare }),
  ];
}
