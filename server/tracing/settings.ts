import { z } from 'zod';

const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Where traces are sent, and how they are sampled. */
export interface TracingSettings {
  /** The whole address that spans are posted to. */
  url: string;
  /** Headers for the collector, such as its credential. */
  headers: Record<string, string>;
  timeoutMs: number;
  /** Attributes of the resource, which describe this service, its name included. */
  resource: Record<string, string>;
  sampler: (typeof samplerNames)[number];
  /** From 0 to 1; for the samplers by ratio. */
  ratio: number;
}

const defaultEndpoint = 'http://localhost:4318';
const tracesPath = '/v1/traces';

const collector = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    'must be an http or https address',
  )
  .transform((text) => text.replace(/\/+$/, ''));

/** Only the protocol that every collector supports. */
const protocol = z.literal('http/protobuf', { message: 'must be http/protobuf, which port 4318 takes' });

/** A list `name=value,name=value`, percent-encoded as in W3C Baggage. */
const pairs = z
  .string()
  .default('')
  .transform((text, context) => {
    const list = text.split(',').filter((part) => part.trim() !== '');
    const read = list.map((part) => /^\s*([^=\s]+)\s*=(.*)$/.exec(part));
    try {
      return Object.fromEntries(
        read.map((found) => {
          if (found === null) throw new URIError('a pair without =');
          return [decodeURIComponent(found[1] ?? ''), decodeURIComponent((found[2] ?? '').trim())];
        }),
      );
    } catch {
      // The text is not quoted, because it may hold a credential.
      context.addIssue({ code: 'custom', message: 'must be a comma list of name=value, percent-encoded' });
      return z.NEVER;
    }
  });

/** The standard variables of OpenTelemetry that the service reads. */
export const tracingEnvironment = {
  OTEL_SDK_DISABLED: z.enum(['true', 'false'], { message: 'must be true or false' }).default('false'),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], { message: 'must be otlp or none' }).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs,
  OTEL_EXPORTER_OTLP_TIMEOUT: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, 'must be a whole number of milliseconds, 1 to 99999')
    .transform(Number)
    .default('10000'),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs,
  OTEL_TRACES_SAMPLER: z
    .enum(samplerNames, { message: `must be one of ${samplerNames.join(', ')}` })
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .default('1'),
};

type Variables = z.infer<z.ZodObject<typeof tracingEnvironment>>;

/** Undefined if tracing is off, as it is unless an exporter or the address of a collector is set. */
export function tracingSettings(variables: Variables): TracingSettings | undefined {
  const { OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = variables;
  const endpoint = OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? OTEL_EXPORTER_OTLP_ENDPOINT;
  if (variables.OTEL_SDK_DISABLED === 'true' || OTEL_TRACES_EXPORTER === 'none') return undefined;
  if (OTEL_TRACES_EXPORTER === undefined && endpoint === undefined) return undefined;
  const resource = variables.OTEL_RESOURCE_ATTRIBUTES;
  return {
    url: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (OTEL_EXPORTER_OTLP_ENDPOINT ?? defaultEndpoint) + tracesPath,
    headers: variables.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMs: variables.OTEL_EXPORTER_OTLP_TIMEOUT,
    resource: {
      ...resource,
      'service.name': variables.OTEL_SERVICE_NAME ?? resource['service.name'] ?? 'fairlead',
    },
    sampler: variables.OTEL_TRACES_SAMPLER,
    ratio: variables.OTEL_TRACES_SAMPLER_ARG,
  };
}
