import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readConfig } from '../../server/config.js';

const read = (path: string) =>
  readFileSync(new URL(`../../deploy/kubernetes/${path}`, import.meta.url), 'utf8');
const load = (path: string) => parse(read(path), { merge: true });
const { spec: deployment } = load('base/deployment.yaml');
const { spec: pod } = deployment.template;
const [service] = pod.containers;

/** How long the service waits for its database when it starts. */
const startSeconds = 60;
/** The longest duration of an election of the replica set, with a margin. */
const electionSeconds = 20;
/** DRAIN_SECONDS in production plus thirty (docs/operations/deploy.md). */
const stopSeconds = 10 + 30;

describe('the deployment on Kubernetes', () => {
  it('lets a pod do no more than it needs', () => {
    expect(pod).toMatchObject({
      serviceAccountName: 'fairlead',
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    for (const container of [...pod.initContainers, service])
      expect(container).toMatchObject({
        image: 'fairlead',
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: { requests: { cpu: '250m', memory: '512Mi' }, limits: { memory: '768Mi' } },
        envFrom: [{ configMapRef: { name: 'fairlead-settings' } }, { secretRef: { name: 'fairlead' } }],
        volumeMounts: [{ name: 'fleet', mountPath: '/etc/fairlead', readOnly: true }],
      });
    expect(load('overlays/example/kustomization.yaml').images[0].newTag).toMatch(/^v\d+\.\d+\.\d+$/);
  });

  it('loses no request when pods are replaced, when nodes are drained, or while the primary is elected', () => {
    expect(deployment).toMatchObject({ replicas: 3, strategy: { rollingUpdate: { maxUnavailable: 0 } } });
    expect(pod.initContainers[0].command).toEqual(['node', 'dist/server/cli.js', 'migrate']);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(stopSeconds);
    const patience = ({
      periodSeconds,
      failureThreshold,
    }: {
      periodSeconds: number;
      failureThreshold: number;
    }) => periodSeconds * failureThreshold;
    expect(patience(service.startupProbe)).toBeGreaterThan(startSeconds);
    expect(patience(service.readinessProbe)).toBeGreaterThanOrEqual(electionSeconds);
    const asked = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => service[probe].httpGet);
    expect(asked).toEqual(['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'http' })));
    const spread = pod.topologySpreadConstraints.map(
      ({ topologyKey }: { topologyKey: string }) => topologyKey,
    );
    expect(spread).toEqual(['kubernetes.io/hostname', 'topology.kubernetes.io/zone']);
    expect(load('base/disruption-budget.yaml').spec).toMatchObject({
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    });
  });

  it('selects these pods, and opens them to the ingress, to scrapes and to what they call', () => {
    const network = load('base/network-policy.yaml').spec;
    const selectors = [
      deployment.selector.matchLabels,
      load('base/service.yaml').spec.selector,
      load('base/disruption-budget.yaml').spec.selector.matchLabels,
      network.podSelector.matchLabels,
      ...pod.topologySpreadConstraints.map(
        (each: { labelSelector: { matchLabels: object } }) => each.labelSelector.matchLabels,
      ),
    ];
    for (const selector of selectors) expect(selector).toEqual({ 'app.kubernetes.io/name': 'fairlead' });
    const [labels] = load('base/kustomization.yaml').labels;
    expect(labels).toMatchObject({ pairs: { 'app.kubernetes.io/name': 'fairlead' }, includeTemplates: true });
    const ports = (rules: { ports: { port: unknown }[] }[]) => rules.map((rule) => rule.ports[0]?.port);
    expect(load('base/service.yaml').spec.ports[0].targetPort).toBe('http');
    expect([ports(network.ingress), ports(network.egress)]).toEqual([
      ['http', 'metrics'],
      [53, 27017, 443],
    ]);
    expect(network.egress[0].to[0].podSelector).toEqual({ matchLabels: { 'k8s-app': 'kube-dns' } });
  });

  it('gives the service settings that it accepts, and the fleet of fleets/mainnet.example.json as an example', () => {
    const fleet = read('overlays/example/fleet.json');
    const settings = parseEnv(`${read('base/settings.env')}\n${read('overlays/example/settings.env')}`);
    expect(settings.FLEET_FILE).toBe('/etc/fairlead/fleet.json');
    const config = readConfig({
      ...settings,
      MONGODB_URI: 'mongodb://db1,db2,db3/fairlead?replicaSet=rs0',
      ADMIN_SECRET_KEY: 'admin-key-of-the-deployment-test',
      CRON_SECRET: 'cron-secret-of-the-deployment-test',
      WEBHOOK_KEY: 'ab'.repeat(32),
      PUBLISHER_SECRET_KEY: 'cd'.repeat(32),
      FLEET_FILE: 'fleets/mainnet.example.json',
    });
    expect(config).toMatchObject({ mode: 'production', scheduler: true, host: '0.0.0.0', notices: [] });
    expect(service.ports).toEqual([
      { name: 'http', containerPort: config.port },
      { name: 'metrics', containerPort: config.metricsPort },
    ]);
    expect(fleet).toBe(readFileSync('fleets/mainnet.example.json', 'utf8'));
  });
});
