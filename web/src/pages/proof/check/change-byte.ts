/** Where a byte of an answer can be changed, to see that the check notices. */
export const places = [
  'score',
  'filled',
  'proof',
  'root',
  'previous',
  'time',
  'signature',
  'receipt',
] as const;
export type Place = (typeof places)[number];

const paths: Readonly<Record<Place, readonly string[]>> = {
  score: ['entry', 'score'],
  filled: ['entry', 'filled'],
  proof: ['proof', '0'],
  root: ['batch', 'header', 'root'],
  previous: ['batch', 'header', 'previous'],
  time: ['batch', 'header', 'createdAt'],
  signature: ['batch', 'signature'],
  receipt: ['batch', 'receipt', 'signature'],
};

/** A value before and after; the character at `at` is the one that differs. */
export interface Change {
  before: string;
  after: string;
  at: number;
}

/**
 * The answer with one character changed at a place, and what was changed; undefined where the answer has no value there: a
 * first batch names no batch before it, and an anchor with few outcomes has no score.
 */
export function changeByte(answer: unknown, place: Place): { changed: unknown; change: Change } | undefined {
  const path = paths[place];
  const changed: unknown = structuredClone(answer);
  const holder = path.slice(0, -1).reduce<unknown>((value, name) => memberOf(value, name), changed);
  const name = path.at(-1) ?? '';
  const value = memberOf(holder, name);
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const before = String(value);
  const at = before.search(/[0-9a-f](?=[^0-9a-f]*$)/i);
  const after = `${before.slice(0, at)}${another(before.charAt(at))}${before.slice(at + 1)}`;
  if (at < 0) return undefined;
  (holder as Record<string, unknown>)[name] = typeof value === 'number' ? Number(after) : after;
  return { changed, change: { before, after, at } };
}

/** The places at which this answer has something to change. */
export function placesIn(answer: unknown): Place[] {
  return places.filter((place) => changeByte(answer, place) !== undefined);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Another character of the same kind, so that the value keeps its form. */
function another(character: string): string {
  if (character === '9') return '0';
  return /[0-8]/.test(character)
    ? String(Number(character) + 1)
    : character.toLowerCase() === 'a'
      ? 'b'
      : 'a';
}
