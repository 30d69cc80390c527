import type { CallOptions } from './client-options.js';

/** What a client has to know of an operation to call it. */
export interface Route {
  readonly operationId: string;
  readonly method: string;
  /** With a colon before the names of parameters: `/api/rates/:corridor`. */
  readonly path: string;
  /** Every status that the contract lists. */
  readonly statuses: readonly number[];
  /** Whether its answer is a page, so that it has `all`. */
  readonly isList?: boolean;
  /** The names of its events; present if it is a stream. */
  readonly events?: readonly string[];
  /** The credential that it takes; none when absent. */
  readonly access?: 'admin' | 'internal';
}

/** The operations by group and name. */
export type RouteTable = Readonly<Record<string, Readonly<Record<string, Route>>>>;

/** The arguments of any operation. */
export interface CallArguments extends CallOptions {
  params?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
}

/** The address of a call: path parameters encoded, absent query parameters left out. */
export function addressOf(
  baseUrl: string,
  { path }: Route,
  { params = {}, query = {} }: CallArguments,
): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => pathSegment(name, params[name]));
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  const search = given.toString();
  return baseUrl.replace(/\/+$/, '') + filled + (search && `?${search}`);
}

/** A value as one path segment: `a/b` or `..` must not lead to another operation. */
function pathSegment(name: string, value: unknown): string {
  const text = String(value ?? '');
  if (['', '.', '..'].includes(text))
    throw new RangeError(`the path parameter ${name} must not be '${text}'`);
  return encodeURIComponent(text);
}

/** Merges headers, with names in lower case: later ones override earlier ones, absent ones are left out. */
export function mergeHeaders(
  ...all: readonly (Readonly<Record<string, string | undefined>> | undefined)[]
): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const headers of all)
    for (const [name, value] of Object.entries(headers ?? {}))
      if (value !== undefined) merged[name.toLowerCase()] = value;
  return merged;
}
