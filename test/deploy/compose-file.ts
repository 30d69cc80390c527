/** The parts of docker-compose.yml that the tests read, as written and as Compose reads it. */
export interface ComposeFile {
  services: Record<ServiceName, ComposeService>;
  networks: Record<string, { ipam?: { config?: { subnet: string }[] } }>;
}

export const instances = ['fairlead-1', 'fairlead-2', 'fairlead-3'] as const;
export const serviceNames = ['mongo', 'migrate', ...instances, 'proxy'] as const;
type ServiceName = (typeof serviceNames)[number];

export interface ComposeService {
  image?: string;
  build?: unknown;
  user?: string;
  entrypoint?: string[];
  command: string[] | null;
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  ports?: { host_ip?: string; target: number; published: string }[];
  volumes?: { type: string; source: string; target: string; read_only?: boolean }[];
  healthcheck?: { test?: string[]; disable?: boolean };
  restart?: string;
  [other: string]: unknown;
}
