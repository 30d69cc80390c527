import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parser as promql } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { expectFor } from '../support/expect-for.js';
import { idleMetrics } from './idle-metrics.js';

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}
const rules = (parse(read('monitoring/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const dashboard = JSON.parse(read('monitoring/dashboard.json')) as {
  panels: { id: number; title: string; targets?: { expr: string }[] }[];
};
const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr })),
);
const expressions = [...rules.map(({ alert, expr }) => ({ title: alert, expr })), ...panels];

const metrics = idleMetrics.getMetricsAsArray() as unknown as {
  name: string;
  type: string;
  labelNames?: string[];
}[];
const labelsOf = new Map(
  metrics.flatMap(({ name, type, labelNames = [] }) => {
    const series = type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name];
    return series.map((one) => [one, labelNames] as const);
  }),
);

/** Replaces Grafana's variables, as Grafana does before Prometheus sees the expression. */
function asPromql(expr: string): string {
  return expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'fairlead');
}

describe('the alert rules and the dashboard', () => {
  it('are PromQL', () => {
    for (const { title, expr } of expressions) {
      const faults: number[] = [];
      promql.parse(asPromql(expr)).iterate({
        enter: ({ type, from }) => {
          if (type.isError) faults.push(from);
        },
      });
      expectFor(`${title}: ${expr}`, faults).toEqual([]);
    }
  });

  it('ask only for metrics that the service has, by labels that these have', () => {
    for (const { title, expr } of expressions) {
      for (const [name] of expr.matchAll(/\b(?:fairlead|process|nodejs)_\w+/g))
        expectFor(`${title}: ${name}`, labelsOf.has(name)).toBe(true);
      for (const [, name = '', selector = ''] of expr.matchAll(/\b(\w+)\{([^}]*)\}/g)) {
        const known = ['job', 'instance', ...(labelsOf.get(name) ?? [])];
        for (const [, label] of selector.matchAll(/(\w+)\s*[=!]/g))
          expectFor(`${title}: ${name}{${label}}`, known).toContain(label);
      }
    }
  });

  it('show every metric of the service on the dashboard', () => {
    const shown = panels.map(({ expr }) => expr).join(' ');
    const own = metrics.map(({ name }) => name).filter((name) => name.startsWith('fairlead_'));
    for (const name of own) expectFor(name, shown).toContain(name);
  });
});

it('docs/operations/run.md has a section for each alert, in the order of the rules, which link to it', () => {
  const headings = [...read('operations/run.md').matchAll(/^### (Fairlead\w+)$/gm)];
  expect(headings.map(([, heading]) => heading)).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, annotations, labels } of rules) {
    expect(annotations.runbook_url).toBe(`docs/operations/run.md#${alert.toLowerCase()}`);
    expect(['page', 'ticket']).toContain(labels.severity);
  }
});
