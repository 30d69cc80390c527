import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../../server/config.js';
import { readFleet } from '../../../server/features/anchors/fleet-file.js';
import { goTool, pythonTools } from '../../support/installed-tools.js';
import { runProgram } from '../../support/run-program.js';
import { itWithToolchain } from '../../support/toolchains.js';
import { faultsOf } from './faults.js';
import { type Container, deploymentOf, type Manifest, onlyOne } from './manifest.js';

const overlay = fileURLToPath(new URL('../../../deploy/kubernetes/overlays/example/', import.meta.url));
const kustomize = await goTool(
  'kustomize',
  [new URL('kustomize/go.mod', import.meta.url), new URL('kustomize/go.sum', import.meta.url)],
  'sigs.k8s.io/kustomize/kustomize/v5',
);
const python = await pythonTools('deploy-tools', new URL('../requirements.txt', import.meta.url));
const itRendered = itWithToolchain(
  kustomize !== undefined && python !== undefined,
  'no go or no registry of its modules, or no python3 or no PyPI: the deployment on Kubernetes',
);
const folder = mkdtempSync(join(tmpdir(), 'fairlead-kubernetes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const secrets = {
  MONGODB_URI: 'mongodb://db1,db2,db3/fairlead?replicaSet=rs0',
  ADMIN_SECRET_KEY: 'admin-key-of-the-deployment-test',
  CRON_SECRET: 'cron-secret-of-the-deployment-test',
  WEBHOOK_KEY: 'ab'.repeat(32),
  PUBLISHER_SECRET_KEY: 'cd'.repeat(32),
};
const text = kustomize === undefined ? '' : await render(kustomize);
const rendered = parseAllDocuments(text).map((document) => document.toJS() as Manifest);

async function render(program: string): Promise<string> {
  const { status, stdout, stderr } = await runProgram(program, ['build', overlay]);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

/**
 * The report of kubernetes-validate by the schemas of the latest Kubernetes that it knows. For an object without a schema it
 * prints a line and nothing more.
 */
async function validate(manifests: string) {
  const file = join(folder, 'manifests.yaml');
  writeFileSync(file, manifests);
  const validator = join(python ?? '', 'bin/kubernetes-validate');
  const { stdout, stderr } = await runProgram(validator, ['--strict', file]);
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
  const passed = lines.filter((line) => /^INFO .* passed for resource /.test(line));
  return { passed: passed.length, objections: lines.filter((line) => !passed.includes(line)) };
}

/** A copy of the rendered manifests with a fault. */
function worse(change: (copy: Manifest[]) => void): Manifest[] {
  const copy = structuredClone(rendered);
  change(copy);
  return copy;
}

const specOf = (manifests: readonly Manifest[], kind: string) => onlyOne(manifests, kind).spec ?? {};
const podOf = (manifests: readonly Manifest[]) => deploymentOf(manifests).template.spec;
const serviceOf = (manifests: readonly Manifest[]) => podOf(manifests).containers[0] as Container;

describe('the deployment on Kubernetes, as Kustomize renders its example', () => {
  itRendered('is what the schemas of Kubernetes have, field by field', async () => {
    expect(await validate(text)).toEqual({ passed: rendered.length, objections: [] });
    expect(rendered.map(({ kind }) => kind).sort()).toEqual(
      [
        'ConfigMap',
        'ConfigMap',
        'Deployment',
        'Namespace',
        'NetworkPolicy',
        'PodDisruptionBudget',
        'Service',
        'ServiceAccount',
      ].sort(),
    );
  });

  itRendered('lets a pod do no more than it needs, and loses no request on the way', () => {
    expect(faultsOf(rendered)).toEqual([]);
  });

  itRendered('gives the service settings that it accepts, and a fleet at the path that they name', () => {
    const maps = rendered.filter(({ kind }) => kind === 'ConfigMap');
    const settings = maps.find(({ metadata }) => metadata.name.startsWith('fairlead-settings'))?.data ?? {};
    const config = readConfig({ ...settings, ...secrets });
    expect(config).toMatchObject({
      production: true,
      scheduler: true,
      host: '0.0.0.0',
      drainSeconds: 10,
      notices: [],
    });
    expect(config.port).toBe(serviceOf(rendered).ports?.find(({ name }) => name === 'http')?.containerPort);
    expect(config.metricsPort).toBe(
      serviceOf(rendered).ports?.find(({ name }) => name === 'metrics')?.containerPort,
    );
    const fleet = maps.find(({ metadata }) => metadata.name.startsWith('fairlead-fleet'))?.data ?? {};
    for (const container of [...(podOf(rendered).initContainers ?? []), ...podOf(rendered).containers]) {
      const mounted = container.volumeMounts?.find(({ name }) => name === 'fleet')?.mountPath;
      expect(Object.keys(fleet).map((file) => `${mounted}/${file}`)).toEqual([config.fleetFile]);
    }
    const file = join(folder, 'fleet.json');
    writeFileSync(file, fleet['fleet.json'] ?? '');
    expect(readFleet(file).anchors.length).toBeGreaterThan(0);
  });

  itRendered('asks names of the cluster of whoever answers them, and MongoDB where the overlay says', () => {
    const { egress } = specOf(rendered, 'NetworkPolicy') as { egress: object[] };
    expect(JSON.stringify(egress[0])).toContain('"podSelector":{"matchLabels":{"k8s-app":"kube-dns"}}');
    expect(egress[1]).toMatchObject({
      to: [{ ipBlock: { cidr: '10.20.0.0/24' } }],
      ports: [{ port: 27017 }],
    });
  });

  it('has the fleet of fleets/mainnet.example.json as its example', () => {
    const read = (path: string) => readFileSync(join(overlay, path), 'utf8');
    expect(read('fleet.json')).toBe(read('../../../../fleets/mainnet.example.json'));
  });
});

describe('the check by the schemas of Kubernetes', () => {
  const violations: [string, (copy: Manifest[]) => void][] = [
    ['a misspelt field', (copy) => Object.assign(serviceOf(copy), { livenesProbe: {} })],
    ['a field of the wrong type', (copy) => Object.assign(deploymentOf(copy), { replicas: 'three' })],
    [
      'a field that is missing',
      (copy) => void delete (deploymentOf(copy) as { selector?: unknown }).selector,
    ],
    [
      'a field that another object has',
      (copy) => Object.assign(specOf(copy, 'PodDisruptionBudget'), { replicas: 3 }),
    ],
    [
      'a setting that is no text',
      (copy) => Object.assign(onlyOne(copy.slice(0, 3), 'ConfigMap').data ?? {}, { PORT: 8080 }),
    ],
    [
      'a version of an API that there is not',
      (copy) => Object.assign(onlyOne(copy, 'Deployment'), { apiVersion: 'apps/v9' }),
    ],
  ];
  for (const [what, change] of violations)
    itRendered(`refuses ${what}`, async () => {
      const planted = worse(change).map((manifest) => `---\n${JSON.stringify(manifest)}\n`);
      expect((await validate(planted.join(''))).objections).not.toEqual([]);
    });
});

describe('the check of what the schemas let pass', () => {
  const context = (copy: Manifest[]) => serviceOf(copy).securityContext ?? {};
  const violations: [string, (copy: Manifest[]) => void][] = [
    [
      'fairlead has an image without an exact version',
      (copy) => Object.assign(serviceOf(copy), { image: 'fairlead:latest' }),
    ],
    ['fairlead may run as root', (copy) => Object.assign(context(copy), { runAsNonRoot: false })],
    [
      'fairlead can write its root file system',
      (copy) => Object.assign(context(copy), { readOnlyRootFilesystem: false }),
    ],
    [
      'fairlead may gain privileges',
      (copy) => Object.assign(context(copy), { allowPrivilegeEscalation: true }),
    ],
    [
      'fairlead keeps capabilities',
      (copy) => Object.assign(context(copy), { capabilities: { drop: ['NET_RAW'] } }),
    ],
    [
      'fairlead has no seccomp profile',
      (copy) => Object.assign(context(copy), { seccompProfile: { type: 'Unconfined' } }),
    ],
    ['fairlead reserves no processor and memory', (copy) => void delete serviceOf(copy).resources?.requests],
    ['fairlead has no bound on its memory', (copy) => void delete serviceOf(copy).resources?.limits],
    ['fairlead is not asked whether it is alive', (copy) => void delete serviceOf(copy).livenessProbe],
    [
      'fairlead is not asked whether it is ready',
      (copy) => Object.assign(serviceOf(copy).readinessProbe?.httpGet ?? {}, { path: '/healthz' }),
    ],
    [
      'fairlead is not asked whether it has started',
      (copy) => Object.assign(serviceOf(copy).startupProbe?.httpGet ?? {}, { port: 'other' }),
    ],
    [
      'fairlead is ended while it waits for its database',
      (copy) => Object.assign(serviceOf(copy).startupProbe ?? {}, { failureThreshold: 3 }),
    ],
    [
      'fairlead is taken out in every election',
      (copy) => Object.assign(serviceOf(copy).readinessProbe ?? {}, { failureThreshold: 1 }),
    ],
    ['the pod has a token of the cluster', (copy) => void delete podOf(copy).automountServiceAccountToken],
    ['the pod has no service account of its own', (copy) => void delete podOf(copy).serviceAccountName],
    [
      'the pod is ended before it has stopped',
      (copy) => Object.assign(podOf(copy), { terminationGracePeriodSeconds: 30 }),
    ],
    [
      'the pod may be on one node with all others',
      (copy) => void podOf(copy).topologySpreadConstraints?.shift(),
    ],
    [
      'the pod may be in one zone with all others',
      (copy) => void podOf(copy).topologySpreadConstraints?.pop(),
    ],
    ['the pod is one of fewer than three', (copy) => Object.assign(deploymentOf(copy), { replicas: 2 })],
    [
      'the pod is ended before its successor is ready',
      (copy) => Object.assign(deploymentOf(copy).strategy.rollingUpdate, { maxUnavailable: 1 }),
    ],
    ['the pod starts without a migration', (copy) => void podOf(copy).initContainers?.pop()],
    [
      'Service does not select the pods',
      (copy) => Object.assign(specOf(copy, 'Service'), { selector: { app: 'fairlead' } }),
    ],
    [
      'PodDisruptionBudget does not select the pods',
      (copy) => Object.assign(specOf(copy, 'PodDisruptionBudget'), { selector: {} }),
    ],
    [
      'NetworkPolicy does not select the pods',
      (copy) => Object.assign(specOf(copy, 'NetworkPolicy'), { podSelector: { matchLabels: { app: 'x' } } }),
    ],
    [
      'there is no ConfigMap named fairlead-fleets',
      (copy) => Object.assign(podOf(copy).volumes?.[0]?.configMap ?? {}, { name: 'fairlead-fleets' }),
    ],
    ['a container is given no Secret', (copy) => void serviceOf(copy).envFrom?.pop()],
    [
      'a Secret is in the repository',
      (copy) => void copy.push({ kind: 'Secret', metadata: { name: 'fairlead' } }),
    ],
    [
      'the Service leads to no port',
      (copy) => Object.assign(specOf(copy, 'Service'), { ports: [{ port: 80, targetPort: 'https' }] }),
    ],
    [
      'the disruption budget lets no pod be taken, or too many',
      (copy) => Object.assign(specOf(copy, 'PodDisruptionBudget'), { maxUnavailable: 0 }),
    ],
  ];
  for (const [fault, change] of violations)
    itRendered(`says that ${fault}`, () => {
      expect(faultsOf(worse(change))).toContain(fault);
    });
});
