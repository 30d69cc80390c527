import type { mongo } from 'mongoose';
import type { Outbound } from '../outbound/outbound.js';
import type { Logger } from '../ports.js';
import type { OutboundTrace } from './outbound-calls.js';
import type { RequestTraces } from './requests.js';
import type { Attributes } from './span.js';

/** What the service tells of its work, so that it can be seen as traces. Where tracing is off, nothing is kept of it. */
export interface Tracing {
  requests: RequestTraces;
  /** Runs a task of the schedule in a trace of its own. */
  inJob: InJob;
  /** The same connector, with a span for each call. */
  ofOutbound(call: Outbound, trace: OutboundTrace): Outbound;
  /** Does work in the trace that was stored with it, or in a new one where none was. */
  resume: Resume;
  /** To be called with the client of the database; undefined where nothing has to be known of its commands. */
  watchCommands: ((client: mongo.MongoClient) => void) | undefined;
  /** The same log, whose lines name the trace in which they are written. */
  ofLog(logger: Logger): Logger;
  /** Sends what is left, for a second and a half at most. */
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
