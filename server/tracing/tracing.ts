import type { mongo } from 'mongoose';
import type { Outbound } from '../outbound/outbound.js';
import type { Logger } from '../ports.js';
import type { OutboundTrace } from './outbound-calls.js';
import type { RequestTraces } from './requests.js';
import type { Attributes } from './span.js';

/** Records the work of the service as traces. Nothing is recorded while tracing is off. */
export interface Tracing {
  requests: RequestTraces;
  /** Runs a task of the schedule in a trace of its own. */
  inJob: InJob;
  /** The same connector, with a span for each call. */
  ofOutbound(call: Outbound, trace: OutboundTrace): Outbound;
  /** Does work in the trace that was stored with it, or in a new one if none was. */
  resume: Resume;
  /** Must be called with the database client; undefined if its commands need not be watched. */
  watchCommands: ((client: mongo.MongoClient) => void) | undefined;
  /** The same log, whose lines name the trace in which they are written. */
  ofLog(logger: Logger): Logger;
  /** Sends the remaining spans, for a second and a half at most. */
  stop(): Promise<void>;
}

/** @param run resolves to a word that says how it ended */
export type InJob = <Outcome extends string>(
  task: { name: string; on: string; intervalMs: number },
  run: () => Promise<Outcome>,
) => Promise<Outcome>;

export type Resume = <T>(
  stored: { traceparent?: string | undefined; name: string; attributes: Attributes },
  work: () => Promise<T>,
) => Promise<T>;

export const noTracing: Tracing = {
  requests: { serve: (handler) => handler, answered: () => undefined },
  inJob: (_task, run) => run(),
  ofOutbound: (call) => call,
  resume: (_stored, work) => work(),
  watchCommands: undefined,
  ofLog: (logger) => logger,
  stop: async () => undefined,
};
