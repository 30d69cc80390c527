/** The entry `@fairlead/contract/client`: nothing here may bring a schema into a bundle. */
export type * from './client-options.js';
export * from './create-client.js';
export * from './fairlead-error.js';
export type * from './generated/operations.js';
export type * from './generated/types.js';
export * from './read-headers.js';
export type * from './streams/stream-options.js';
