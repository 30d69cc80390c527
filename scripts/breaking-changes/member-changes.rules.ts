import { type Direction, type Fault, fault, inside, type Place, sayFor } from './faults.rules.js';
import type { Form, Schema } from './schema-forms.rules.js';

interface Around {
  direction: Direction;
  place: Place;
  /** Compares the schemas that both sides have for a name. */
  compare: (step: string, from: Schema, to: Schema) => Fault[];
}

/** What a change of an object's members breaks. */
export function memberFaults(from: Form, to: Form, around: Around): Fault[] {
  if (from.type !== 'object') return [];
  const { direction, place, compare } = around;
  const { properties: has = {}, required: always = [] } = from;
  const { properties: wants = {}, required: needs = [] } = to;
  const say = (key: string, request: string, answer: string) =>
    fault(inside(place, key), sayFor(direction, request, answer));
  const shared = Object.entries(wants).flatMap(([key, theirs]) => {
    const mine = has[key];
    if (mine !== undefined) {
      const isLess = needs.includes(key) && !always.includes(key);
      return [
        ...compare(key, mine, theirs),
        ...(isLess ? [say(key, 'has to be sent now', 'may be missing now')] : []),
      ];
    }
    // An optional new member costs senders nothing; receivers lose a member that is gone.
    return direction === 'request' && !needs.includes(key)
      ? []
      : [say(key, 'is new and has to be sent', 'is no longer there')];
  });
  const further = Object.entries(has).filter(([key]) => !(key in wants));
  return [
    ...shared,
    ...further.flatMap(([key, schema]) => furtherFaults(key, schema, to, around)),
    ...unlistedFaults(from, to, around),
  ];
}

/** A member that only `from` lists. */
function furtherFaults(
  key: string,
  schema: Schema,
  to: Form,
  { direction, place, compare }: Around,
): Fault[] {
  const { additionalProperties: rest = true } = to;
  if (typeof rest === 'object') return compare(key, schema, rest);
  if (direction === 'request')
    return [fault(inside(place, key), rest ? 'is no longer read' : 'is refused now')];
  return rest ? [] : [fault(inside(place, key), 'is new, where no further members were to come')];
}

/** Members that neither lists. */
function unlistedFaults(from: Form, to: Form, { direction, place, compare }: Around): Fault[] {
  const { additionalProperties: mine = true } = from;
  const { additionalProperties: theirs = true } = to;
  if (mine === false || theirs === true) return [];
  if (typeof theirs === 'object') return compare('*', mine === true ? {} : mine, theirs);
  const sentence = sayFor(direction, 'are refused now', 'may come now');
  return [fault(place, `members that are not listed ${sentence}`)];
}
