import {
  type Container,
  type DeploymentSpec,
  deploymentOf,
  type Manifest,
  onlyOne,
  type Probe,
} from './manifest.js';

/** The seconds that the service needs to stop: DRAIN_SECONDS in production plus thirty (docs/operations/deploy.md). */
const stopSeconds = 10 + 30;
/** How long the service waits for its database when it starts. */
const startSeconds = 60;
/** The longest duration of an election of the replica set, with a margin. */
const electionSeconds = 20;
const exactImage = /^[^:@]+\/fairlead:\d+\.\d+\.\d+(-[\w.]+)?$/;

/**
 * The faults of a deployment of the service that the schemas of Kubernetes accept: everything that would let a pod do more
 * than it needs, lose requests, or be unreachable.
 */
export function faultsOf(manifests: readonly Manifest[]): string[] {
  const deployment = deploymentOf(manifests);
  const { spec: pod, metadata } = deployment.template;
  const containers = [...(pod.initContainers ?? []), ...pod.containers];
  return [
    ...containers.flatMap((container) => containerFaults(container, pod.securityContext ?? {})),
    ...pod.containers.flatMap(probeFaults),
    ...podFaults(deployment),
    ...selectorFaults(manifests, metadata.labels),
    ...referenceFaults(manifests, containers, deployment),
    ...disruptionFaults(manifests, deployment),
  ];
}

function containerFaults(
  { name, image, securityContext = {}, resources = {} }: Container,
  pod: Record<string, unknown>,
): string[] {
  const context = { ...pod, ...securityContext };
  const { capabilities, seccompProfile, runAsUser } = context as {
    capabilities?: { drop?: string[]; add?: string[] };
    seccompProfile?: { type?: string };
    runAsUser?: number;
  };
  return faults(name, {
    'has an image without an exact version': !exactImage.test(image),
    'may run as root': context.runAsNonRoot !== true || !runAsUser,
    'can write its root file system': context.readOnlyRootFilesystem !== true,
    'may gain privileges': context.allowPrivilegeEscalation !== false,
    'keeps capabilities': capabilities?.drop?.[0] !== 'ALL' || capabilities.add !== undefined,
    'has no seccomp profile': seccompProfile?.type !== 'RuntimeDefault',
    'reserves no processor and memory': !resources.requests?.cpu || !resources.requests.memory,
    'has no bound on its memory': !resources.limits?.memory,
  });
}

function probeFaults({ name, startupProbe, livenessProbe, readinessProbe, ports = [] }: Container): string[] {
  const asks = (probe: Probe | undefined, path: string) =>
    probe?.httpGet?.path === path && ports.some((port) => port.name === probe.httpGet?.port);
  const patience = ({ periodSeconds = 10, failureThreshold = 3 }: Probe = {}) =>
    periodSeconds * failureThreshold;
  return faults(name, {
    'is not asked whether it is alive': !asks(livenessProbe, '/healthz'),
    'is not asked whether it is ready': !asks(readinessProbe, '/readyz'),
    'is not asked whether it has started': !asks(startupProbe, '/healthz'),
    'is ended while it waits for its database': patience(startupProbe) <= startSeconds,
    'is taken out in every election': patience(readinessProbe) < electionSeconds,
  });
}

function podFaults({ template, replicas, strategy }: DeploymentSpec): string[] {
  const { spec: pod } = template;
  const spread = (pod.topologySpreadConstraints ?? []).map(({ topologyKey }) => topologyKey);
  return faults('the pod', {
    'has a token of the cluster': pod.automountServiceAccountToken !== false,
    'has no service account of its own': pod.serviceAccountName !== 'fairlead',
    'is ended before it has stopped': (pod.terminationGracePeriodSeconds ?? 30) <= stopSeconds,
    'may be on one node with all others': !spread.includes('kubernetes.io/hostname'),
    'may be in one zone with all others': !spread.includes('topology.kubernetes.io/zone'),
    'is one of fewer than three': replicas < 3,
    'is ended before its successor is ready': strategy.rollingUpdate.maxUnavailable !== 0,
    'starts without a migration':
      pod.initContainers?.[0]?.command?.join(' ') !== 'node dist/server/cli.js migrate',
  });
}

/** Every object that selects pods must select these. */
function selectorFaults(manifests: readonly Manifest[], labels: Record<string, string>): string[] {
  const { selector, template } = deploymentOf(manifests);
  const selectors: Record<string, unknown> = {
    Deployment: selector.matchLabels,
    Service: onlyOne(manifests, 'Service').spec?.selector,
    PodDisruptionBudget: matchLabels(onlyOne(manifests, 'PodDisruptionBudget').spec?.selector),
    NetworkPolicy: matchLabels(onlyOne(manifests, 'NetworkPolicy').spec?.podSelector),
    ...Object.fromEntries(
      (template.spec.topologySpreadConstraints ?? []).map(({ topologyKey, labelSelector }) => [
        `the spread over ${topologyKey}`,
        labelSelector.matchLabels,
      ]),
    ),
  };
  return Object.entries(selectors).flatMap(([what, wanted]) => {
    const pairs = Object.entries((wanted ?? {}) as Record<string, string>);
    const selects = pairs.length > 0 && pairs.every(([key, value]) => labels[key] === value);
    return selects ? [] : [`${what} does not select the pods`];
  });
}

function matchLabels(selector: unknown): unknown {
  return (selector as { matchLabels?: unknown } | undefined)?.matchLabels;
}

function referenceFaults(
  manifests: readonly Manifest[],
  containers: readonly Container[],
  { template }: DeploymentSpec,
): string[] {
  const configMaps = manifests
    .filter(({ kind }) => kind === 'ConfigMap')
    .map(({ metadata }) => metadata.name);
  const wanted = [
    ...containers.flatMap(({ envFrom = [] }) => envFrom.map(({ configMapRef }) => configMapRef?.name)),
    ...(template.spec.volumes ?? []).map(({ configMap }) => configMap?.name),
  ].filter((name) => name !== undefined);
  const secrets = containers.map(({ envFrom = [] }) => envFrom.find(({ secretRef }) => secretRef));
  const { ports = [] } = (onlyOne(manifests, 'Service').spec ?? {}) as { ports?: { targetPort: string }[] };
  const open = containers.flatMap(({ ports: own = [] }) => own.map(({ name }) => name));
  return [
    ...wanted
      .filter((name) => !configMaps.includes(name))
      .map((name) => `there is no ConfigMap named ${name}`),
    ...(secrets.every((one) => one !== undefined) ? [] : ['a container is given no Secret']),
    ...(manifests.some(({ kind }) => kind === 'Secret') ? ['a Secret is in the repository'] : []),
    ...(ports.every(({ targetPort }) => open.includes(targetPort)) ? [] : ['the Service leads to no port']),
  ];
}

function disruptionFaults(manifests: readonly Manifest[], { replicas }: DeploymentSpec): string[] {
  const { maxUnavailable } = (onlyOne(manifests, 'PodDisruptionBudget').spec ?? {}) as {
    maxUnavailable?: number;
  };
  const allowed = maxUnavailable ?? 0;
  return allowed >= 1 && allowed < replicas - 1
    ? []
    : ['the disruption budget lets no pod be taken, or too many'];
}

function faults(subject: string, found: Record<string, boolean>): string[] {
  return Object.entries(found).flatMap(([fault, holds]) => (holds ? [`${subject} ${fault}`] : []));
}
