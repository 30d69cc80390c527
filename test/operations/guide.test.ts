import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { contract } from '../../contract/index.js';
import { listRoutes } from '../../server/http/route-table.js';
import { createSchedule } from '../../server/jobs/schedule.js';
import { jobOutcomes } from '../../server/jobs/scheduler.js';
import { idleMetrics } from '../fixtures/edge/idle-metrics.js';

const root = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');
const page = read('docs/operations/run.md');
const section = (title: string) => page.split(/^## /m).find((text) => text.startsWith(title)) ?? '';
/** The code between backticks in the first column of a section's table. */
const firstColumn = (title: string) =>
  [...section(title).matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );

describe('docs/operations/run.md', () => {
  it('explains every metric, and no other', () => {
    const names = idleMetrics.getMetricsAsArray().map(({ name }) => name);
    const ours = names.filter((name) => !/^(process|nodejs)_/.test(name));
    expect(firstColumn('Metrics').sort()).toEqual(ours.sort());
    const anywhere = [...page.matchAll(/fairlead_[a-z_]+/g)].map(([name]) => name);
    expect([...new Set(anywhere)].sort()).toEqual(ours);
  });

  it('names the outcomes of jobs as the code has them', () => {
    for (const outcome of jobOutcomes) expect(section('Jobs')).toContain(`\`${outcome}\``);
  });

  it('lists the jobs with their intervals, and with every internal endpoint', () => {
    const run = async () => ({ ran: true });
    const own = async () => undefined;
    const ofEveryInstance = {
      webhooks: own,
      cacheEpoch: own,
      snapshot: own,
      rateSamples: own,
      discovery: own,
      cards: own,
      clockCheck: own,
    };
    const work = {
      leased: true,
      observer: true,
      reconcile: run,
      refresh: run,
      tick: run,
      observe: run,
      ...ofEveryInstance,
    };
    const jobs = createSchedule(work).filter(({ on }) => on === 'one instance');
    const rows = [...section('Jobs').matchAll(/^\| `(\w+)` \| (\d+) s \|/gm)];
    expect(rows.map(([, name, seconds]) => [name, Number(seconds)])).toEqual(
      jobs.map(({ name, intervalMs }) => [name, intervalMs / 1_000]),
    );
    const internal = listRoutes(contract).filter(({ metadata }) => metadata.access === 'internal');
    const listed = [...section('Jobs').matchAll(/^\|.*`(POST \S+)` \|/gm)].map(([, call]) => call);
    expect(listed.sort()).toEqual(internal.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('describes every collection', () => {
    const files = readdirSync(new URL('server/', root), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((name) => name.endsWith('.ts')).map((name) => read(`server/${name}`));
    const collections = sources.flatMap((source) =>
      [...source.matchAll(/collection: '(\w+)'/g)].map(([, name]) => name),
    );
    expect(collections.length).toBeGreaterThan(15);
    expect(firstColumn('Backing up').sort()).toEqual(collections.sort());
  });

  it('names only variables that the service reads', () => {
    const understood = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    const named = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)*)(?:=\w+|=[\d.]+)?`/g)].map(([, name]) => name);
    // The instrumentation that makes traces reads those of OpenTelemetry.
    const others = named.filter((name) => !understood.includes(name) && !/^OTEL_/.test(name ?? ''));
    expect([...new Set(others)].sort()).toEqual(['NOT_READY', 'RUN_IN_PROGRESS']);
  });
});
