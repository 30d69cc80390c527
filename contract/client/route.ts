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
