import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from '../../../server/config.js';

const least = { MONGODB_URI: 'mongodb://127.0.0.1/fairlead?replicaSet=rs0', FLEET_FILE: 'fleet.json' };
const tracingOf = (env: Record<string, string>) => readConfig({ ...least, ...env }).tracing;

function faultOf(env: Record<string, string>): string {
  try {
    tracingOf(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('the settings of traces', () => {
  it('leave them off until an exporter or the address of a collector is set', () => {
    expect(tracingOf({})).toBeUndefined();
    expect(tracingOf({ OTEL_SERVICE_NAME: 'fairlead', OTEL_TRACES_SAMPLER: 'always_on' })).toBeUndefined();
    expect(tracingOf({ OTEL_TRACES_EXPORTER: 'otlp' })).toEqual({
      url: 'http://localhost:4318/v1/traces',
      headers: {},
      timeoutMs: 10_000,
      resource: { 'service.name': 'fairlead' },
      sampler: 'parentbased_always_on',
      ratio: 1,
    });
    expect(tracingOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/' })).toMatchObject({
      url: 'https://collector.example/v1/traces',
    });
  });

  it('turn them off again by the variables that the specification has for that', () => {
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
    expect(tracingOf({ ...on, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    expect(tracingOf({ ...on, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
  });

  it('take the address of traces as it is, and the name of the service before the one of the attributes', () => {
    const settings = tracingOf({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://elsewhere:4318',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example/ingest',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one,authorization=Bearer%20a%3Db',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,service.namespace=rates',
      OTEL_SERVICE_NAME: 'fairlead-eu',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
    });
    expect(settings).toMatchObject({
      url: 'https://collector.example/ingest',
      headers: { 'x-tenant': 'one', authorization: 'Bearer a=b' },
      resource: { 'service.name': 'fairlead-eu', 'service.namespace': 'rates' },
      sampler: 'parentbased_traceidratio',
      ratio: 0.01,
    });
  });

  it('are refused at start where they are wrong, by the name of the variable and without a credential', () => {
    const faults = faultOf({
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_HEADERS: 'the-credential-without-a-name',
      OTEL_EXPORTER_OTLP_TIMEOUT: '10s',
      OTEL_TRACES_SAMPLER: 'jaeger_remote',
      OTEL_TRACES_SAMPLER_ARG: '1.5',
    });
    for (const name of [
      'OTEL_TRACES_EXPORTER',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'OTEL_EXPORTER_OTLP_TIMEOUT',
      'OTEL_TRACES_SAMPLER ',
      'OTEL_TRACES_SAMPLER_ARG',
    ])
      expect(faults).toContain(name);
    expect(faults).not.toContain('the-credential');
  });
});
