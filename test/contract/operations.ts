import { examples } from '../../contract/examples/index.js';
import { contract } from '../../contract/index.js';
import { type Operation, operationsOf } from '../../scripts/openapi/operations.js';

/** Every operation of the contract as `it.each` rows: its id, then itself. */
export const operations: [string, Operation][] = operationsOf(contract, examples).map((operation) => [
  operation.metadata.operationId,
  operation,
]);
