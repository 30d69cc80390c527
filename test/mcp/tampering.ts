/** A value inside an answer that is neither an object nor a list. */
export interface Leaf {
  path: (string | number)[];
}

/** Every leaf of a JSON value. */
export function leavesOf(value: unknown, path: Leaf['path'] = []): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path }];
  return Object.entries(value).flatMap(([name, member]) =>
    leavesOf(member, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

/** A copy with one byte of one leaf changed, so that the leaf keeps its type. */
export function withChangedLeaf(value: unknown, leaf: Leaf): unknown {
  const copy = structuredClone(value);
  const last = leaf.path.at(-1);
  // biome-ignore lint/suspicious/noExplicitAny: walks any JSON
  const parent: any = leaf.path.slice(0, -1).reduce((at: any, name) => at[name], copy);
  if (last === undefined) throw new Error('the answer is no object');
  parent[last] = changed(parent[last]);
  return copy;
}

function changed(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (value === null) return '0';
  const text = String(value);
  const middle = Math.floor(text.length / 2);
  return text.slice(0, middle) + otherThan(text.charAt(middle)) + text.slice(middle + 1);
}

/**
 * A neighbouring character of the same kind, so that the text's form still holds where it can. It is the one below, since
 * neither the hour after 23 nor the hex digit after f exists.
 */
function otherThan(character: string): string {
  if (character === '-' || character === ':' || character === '.') return '0';
  const below = String.fromCharCode(character.charCodeAt(0) - 1);
  return /[\da-zA-Z]/.test(below) ? below : String.fromCharCode(character.charCodeAt(0) + 1);
}
