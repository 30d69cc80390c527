import type { AppRouter } from '@ts-rest/core';
import { contract } from '../../contract/index.js';
import { type Operation, operationsOf } from '../../scripts/openapi/operations.js';

/** Every operation of the contract as `it.each` rows: its id, then itself. */
export const operations: [string, Operation][] = operationsOf(contract as AppRouter).map((operation) => [
  operation.metadata.operationId,
  operation,
]);
