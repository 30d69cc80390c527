import { type Direction, sayFor } from './faults.rules.js';
import { patternsFit } from './pattern-inclusion.rules.js';
import { bounds, type Form } from './schema-forms.rules.js';

/** The sentence for a list that was documented as closed and may grow now. */
export const nowGrows = 'the list of values was closed, and may grow now';

type Bound = (typeof bounds)['lower' | 'upper'][number] | 'multipleOf';

/** Why values of `from` do not fit into `to`, objects and arrays apart: one sentence each. */
export function valueFaults(from: Form, to: Form, direction: Direction): string[] {
  if (from.enum !== undefined) return enumFaults(from, to, direction);
  const bound = (name: Bound, isWithin: (a: number, b: number) => boolean) =>
    boundFaults(name, from[name], to[name], { direction, isWithin });
  return [
    ...listFaults(to, direction),
    ...bounds.lower.flatMap((name) => bound(name, (a, b) => a >= b)),
    ...bounds.upper.flatMap((name) => bound(name, (a, b) => a <= b)),
    ...bound('multipleOf', (a, b) => a % b === 0),
    ...to.patterns
      .filter((pattern) => !patternsFit(from.patterns, pattern))
      .map((pattern) =>
        sayFor(
          direction,
          `has to fit the new pattern ${pattern}`,
          `need no longer fit the pattern ${pattern}`,
        ),
      ),
    ...(formatFits(from.format, to.format)
      ? []
      : [
          sayFor(
            direction,
            `has to have the format ${to.format} now`,
            `need no longer have the format ${to.format}`,
          ),
        ]),
  ];
}

/** The case in which the values were not restricted to a list, or are not now. */
function listFaults(to: Form, direction: Direction): string[] {
  if (to.enum === undefined || mayGrow(to, direction)) return [];
  const listed = to.enum.join(', ');
  return [sayFor(direction, `takes only ${listed} now`, `may be other values than ${listed} now`)];
}

/** Clients were told to expect further values. */
function mayGrow(to: Form, direction: Direction): boolean {
  return direction === 'answer' && to['x-open-enum'] === true;
}

function boundFaults(
  name: Bound,
  from: number | undefined,
  to: number | undefined,
  { direction, isWithin }: { direction: Direction; isWithin: (from: number, to: number) => boolean },
): string[] {
  if (to === undefined || (from !== undefined && isWithin(from, to))) return [];
  const [old, now] = direction === 'request' ? [from, to] : [to, from];
  const meaning = sayFor(direction, 'less is taken than before', 'more may come than before');
  return [`\`${name}\` was ${old ?? 'not there'} and is ${now ?? 'not there'} now: ${meaning}`];
}

function enumFaults(from: Form, to: Form, direction: Direction): string[] {
  if (mayGrow(to, direction)) return [];
  const refused = (from.enum ?? []).filter((value) => !takes(to, value)).join(', ');
  const opened = direction === 'answer' && from['x-open-enum'] === true && to.enum !== undefined;
  return [
    ...(refused === '' ? [] : [sayFor(direction, `no longer takes ${refused}`, `may be ${refused} now`)]),
    ...(opened ? [nowGrows] : []),
  ];
}

function takes(form: Form, value: string | number | boolean): boolean {
  if (form.enum !== undefined) return form.enum.includes(value);
  if (typeof value === 'boolean') return true;
  if (typeof value === 'string') return takesText(form, value);
  const { minimum = -Infinity, maximum = Infinity, multipleOf = value } = form;
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = form;
  const isInRange =
    value >= minimum && value <= maximum && value > exclusiveMinimum && value < exclusiveMaximum;
  return isInRange && (value === multipleOf || value % multipleOf === 0);
}

function takesText({ minLength = 0, maxLength = Infinity, patterns }: Form, text: string): boolean {
  const isOfLength = text.length >= minLength && text.length <= maxLength;
  return isOfLength && patterns.every((pattern) => new RegExp(pattern, 'u').test(text));
}

/** Generators choose the type of a value by its format. */
function formatFits(from: string | undefined, to: string | undefined): boolean {
  return (
    to === undefined ||
    from === to ||
    (from === 'int32' && to === 'int64') ||
    (from === 'float' && to === 'double')
  );
}
