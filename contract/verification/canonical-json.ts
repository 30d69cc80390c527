import canonicalize from 'canonicalize';

/** The deepest nesting. The bound also ends the walk over a value that contains itself. */
const MAX_DEPTH = 32;

/** A value that has no canonical JSON form; `path` is where it is. */
export class CanonicalJsonError extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(`${path} ${message}`);
    this.name = 'CanonicalJsonError';
    this.path = path;
  }
}

interface CanonicalJsonOptions {
  /** Refuse numbers that are not safe integers, so that other languages need no number formatting of JavaScript. */
  integersOnly?: boolean;
}

/** True for objects of any realm without a class; a Date, Map or class instance is not data. */
function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function checkString(text: string, path: string): void {
  // In a `u` expression the class matches lone surrogates only (RFC 8785 section 3.2.2.2: an error).
  if (/\p{Surrogate}/u.test(text)) throw new CanonicalJsonError(path, 'contains a lone surrogate');
}

function checkNumber(value: number, path: string, { integersOnly = false }: CanonicalJsonOptions): void {
  if (!Number.isFinite(value)) throw new CanonicalJsonError(path, 'is not a finite number');
  if (integersOnly && !Number.isSafeInteger(value))
    throw new CanonicalJsonError(path, 'is not a safe integer');
}

function checkObject(value: object, path: string, depth: number, options: CanonicalJsonOptions): void {
  if (depth >= MAX_DEPTH) throw new CanonicalJsonError(path, `is nested deeper than ${MAX_DEPTH} levels`);
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    throw new CanonicalJsonError(path, 'is not plain data');
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      check(value[index], `${path}[${index}]`, depth + 1, options);
    }
    return;
  }
  if (!isPlainObject(value)) throw new CanonicalJsonError(path, 'is not plain data');
  for (const [key, member] of Object.entries(value)) {
    checkString(key, `${path} key`);
    if (member !== undefined) check(member, `${path}.${key.slice(0, 64)}`, depth + 1, options);
  }
}

function check(value: unknown, path: string, depth: number, options: CanonicalJsonOptions): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') checkString(value, path);
  else if (typeof value === 'number') checkNumber(value, path, options);
  else if (typeof value === 'object') checkObject(value, path, depth, options);
  else throw new CanonicalJsonError(path, `is ${typeof value}, which JSON cannot hold`);
}

/**
 * The JSON Canonicalization Scheme, RFC 8785: no white space, members sorted by UTF-16 code units, numbers as
 * ECMAScript writes them. Members that are undefined are left out; anything else that JSON cannot hold (NaN, Infinity, lone
 * surrogates, undefined at the top or in arrays, functions, bigints, dates) throws CanonicalJsonError.
 * Hash the text as UTF-8.
 */
export function canonicalJson(value: unknown, options: CanonicalJsonOptions = {}): string {
  check(value, '$', 0, options);
  const text = canonicalize(value);
  if (text === undefined) throw new CanonicalJsonError('$', 'is undefined');
  return text;
}
