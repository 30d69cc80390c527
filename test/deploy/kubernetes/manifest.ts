/** The parts of Kustomize's output that the tests read. Their form is checked against the schemas of Kubernetes. */
export interface Manifest {
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  spec?: Record<string, unknown>;
  [other: string]: unknown;
}

export interface Container {
  name: string;
  image: string;
  command?: string[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: Record<string, unknown>;
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  [probe: `${string}Probe`]: Probe | undefined;
}

export interface Probe {
  httpGet?: { path: string; port: string };
  periodSeconds?: number;
  failureThreshold?: number;
}

type Labels = { matchLabels: Record<string, string> };

export interface DeploymentSpec {
  replicas: number;
  selector: Labels;
  strategy: { rollingUpdate: { maxUnavailable: number } };
  template: {
    metadata: { labels: Record<string, string> };
    spec: {
      automountServiceAccountToken?: boolean;
      serviceAccountName?: string;
      securityContext?: Record<string, unknown>;
      topologySpreadConstraints?: { topologyKey: string; labelSelector: Labels }[];
      terminationGracePeriodSeconds?: number;
      initContainers?: Container[];
      containers: Container[];
      volumes?: { name: string; configMap?: { name: string } }[];
    };
  };
}

export function onlyOne(manifests: readonly Manifest[], kind: string): Manifest {
  const [one, ...others] = manifests.filter((manifest) => manifest.kind === kind);
  if (one === undefined || others.length > 0)
    throw new Error(`${others.length + (one ? 1 : 0)} objects of kind ${kind}`);
  return one;
}

export function deploymentOf(manifests: readonly Manifest[]): DeploymentSpec {
  return onlyOne(manifests, 'Deployment').spec as unknown as DeploymentSpec;
}
