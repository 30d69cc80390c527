import type {
  AppRoute,
  ClientInferResponses,
  PartialClientInferRequest,
  SuccessfulHttpStatusCode,
} from '@ts-rest/core';
import type { input, ZodOptional, ZodTypeAny } from 'zod';

/**
 * What a caller of an operation gives. @ts-rest/core 3 asks for every body; one that the contract makes optional may be
 * left out.
 */
export type OperationArguments<R extends AppRoute> = R extends {
  body: infer Body extends ZodOptional<ZodTypeAny>;
}
  ? Omit<PartialClientInferRequest<R>, 'body'> & { body?: input<Body> }
  : PartialClientInferRequest<R>;

/** One real request to an operation and its answer: shown in the document, checked against the schemas by a test. */
type OperationExample<R extends AppRoute> = OperationArguments<R> & {
  answer: ClientInferResponses<R, SuccessfulHttpStatusCode, 'force'>['body'];
};

/** An example for every operation of a part of the contract, under the same keys: a missing one does not compile. */
export type ExamplesOf<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends AppRoute
    ? OperationExample<Group[Name]>
    : ExamplesOf<Group[Name]>;
};
