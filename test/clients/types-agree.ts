import type { AppRoute, ClientInferResponses } from '@ts-rest/core';
import type { z } from 'zod';
import type { OperationArguments } from '../../contract/examples/examples-of.js';
import type { Client, contract, EventName, eventData, WebhookEvents } from '../../contract/index.js';

/*
 * Never run: that it compiles is the test. The types of contract/client/ are generated as text; here they are compared
 * with what TypeScript infers from the schemas, operation by operation, down to the last optional member.
 */

/** Expands a type to its members, so that an interface and an inferred type with the same members are identical. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? [T[keyof T]] extends [never]
      ? Record<never, never>
      : { [K in keyof T]: Plain<T[K]> }
    : T;

/** Whether two types are identical; mutual assignability would let an optional member be missing. */
type Same<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

type Part<T, K extends PropertyKey> = K extends keyof T ? Exclude<T[K], undefined> : Record<never, never>;
type Call = (...args: never[]) => Promise<{ status: number; body: unknown }>;
/** A stream: all its events except problems hold what the schema of its 200 says. */
type Stream = (...args: never[]) => AsyncGenerator<{ event: string; data: unknown }, void, undefined>;
type Arguments<C extends Call | Stream> = Exclude<Parameters<C>[0], undefined>;
type Bodies<A extends { status: number; body: unknown }> = {
  [S in A['status']]: Extract<A, { status: S }>['body'];
};

type ArgumentsAgree<R extends AppRoute, C extends Call | Stream> = Same<
  [
    Part<OperationArguments<R>, 'params'>,
    Part<OperationArguments<R>, 'query'>,
    Part<OperationArguments<R>, 'body'>,
    object extends OperationArguments<R> ? 'may be left out' : 'needed',
  ],
  [
    Part<Arguments<C>, 'params'>,
    Part<Arguments<C>, 'query'>,
    Part<Arguments<C>, 'body'>,
    undefined extends Parameters<C>[0] ? 'may be left out' : 'needed',
  ]
>;
type AnswersAgree<R extends AppRoute, C extends Call> = Same<
  Bodies<ClientInferResponses<R>>,
  Bodies<Awaited<ReturnType<C>>>
>;
type EventsAgree<R extends AppRoute, C extends Stream> =
  ReturnType<C> extends AsyncGenerator<infer Event>
    ? Same<
        ClientInferResponses<R, 200>['body'],
        Exclude<Event, { event: 'problem' }> extends { data: infer Data } ? Data : never
      >
    : false;
type Agree<R, C> = R extends AppRoute
  ? C extends Call
    ? [ArgumentsAgree<R, C>, AnswersAgree<R, C>] extends [true, true]
      ? true
      : false
    : C extends Stream
      ? [ArgumentsAgree<R, C>, EventsAgree<R, C>] extends [true, true]
        ? true
        : false
      : false
  : false;

type Contract = typeof contract;
/** The operations whose generated types differ from those of the contract. */
type Disagreeing = {
  [G in keyof Contract]: {
    [O in keyof Contract[G]]: O extends keyof Client[G]
      ? Agree<Contract[G][O], Client[G][O]> extends true
        ? never
        : O
      : O;
  }[keyof Contract[G]];
}[keyof Contract];
type DisagreeingEvent = {
  [N in EventName]: Same<z.infer<(typeof eventData)[N]>, WebhookEvents[N]['data']> extends true ? never : N;
}[EventName];

export const verdicts: {
  operations: [Disagreeing] extends [never] ? true : Disagreeing;
  events: [DisagreeingEvent] extends [never] ? true : DisagreeingEvent;
} = { operations: true, events: true };
