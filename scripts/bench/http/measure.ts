import { median } from '../lib/figures.js';
import { clientAddresses, fire, type LoadRequest } from '../lib/load.js';
import { processCpuMs } from '../lib/program.js';

const connections = 32;

export interface Target {
  url: string;
  /** Milliseconds of processor time it has spent. */
  cpuMs(): Promise<number>;
}

export interface Figures {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Microseconds of processor time for a request, of the target and of mongod; NaN where they cannot be told. */
  cpu: number;
  mongodCpu: number;
}

export interface Case {
  path: string;
  expect?: number;
  headers?: Record<string, string>;
  /** Addresses that each of the 32 connections goes through, other ones every time; or this one alone. */
  clients: number | string;
}

export type Measure = (target: Target, asked: Case) => Promise<Figures>;

export function createMeasure(options: { seconds: number; mongodPid: number | undefined }): Measure {
  const { seconds, mongodPid } = options;
  let used = 0;

  function requestsOf(clients: number | string): LoadRequest[] {
    if (typeof clients === 'string') return [forwardedFor(clients)];
    used += clients;
    return clientAddresses(used, clients).map(forwardedFor);
  }

  return async (target, { path, expect = 200, headers = {}, clients }) => {
    const before = [await target.cpuMs(), await processCpuMs(mongodPid)];
    const { requests, ...result } = await fire({
      url: target.url + path,
      seconds,
      connections,
      expect,
      headers,
      requests: () => requestsOf(clients),
    });
    const after = [await target.cpuMs(), await processCpuMs(mongodPid)];
    const [cpu = Number.NaN, mongodCpu = Number.NaN] = after.map(
      (ms, place) => ((ms - (before[place] ?? 0)) * 1_000) / requests,
    );
    return { ...result, cpu, mongodCpu };
  };
}

export function forwardedFor(address: string): { headers: Record<string, string> } {
  return { headers: { 'x-forwarded-for': address } };
}

export function medians(rounds: readonly Figures[]): Figures {
  const of = (pick: (round: Figures) => number) => median(rounds.map(pick));
  return {
    perSecond: of((round) => round.perSecond),
    p50Ms: of((round) => round.p50Ms),
    p99Ms: of((round) => round.p99Ms),
    cpu: of((round) => round.cpu),
    mongodCpu: of((round) => round.mongodCpu),
  };
}
