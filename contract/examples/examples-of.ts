import type { AppRoute, ClientInferResponses, SuccessfulHttpStatusCode } from '@ts-rest/core';
import type { OperationArguments } from '../client/create-client.js';

/** One real request to an operation and its answer: shown in the document, checked against the schemas by a test. */
export type OperationExample<R extends AppRoute> = OperationArguments<R> & {
  answer: ClientInferResponses<R, SuccessfulHttpStatusCode, 'force'>['body'];
};

/** An example for every operation of a part of the contract, under the same keys: a missing one does not compile. */
export type ExamplesOf<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends AppRoute
    ? OperationExample<Group[Name]>
    : ExamplesOf<Group[Name]>;
};
