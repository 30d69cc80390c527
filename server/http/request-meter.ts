import type { Metric, Registry } from 'prom-client';

const name = 'fairlead_http_request_duration_seconds';
const help = 'Time from request to answer, by route template.';
const bounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10] as const;

/** The requests of one method, route and status. */
export interface RequestSeries {
  observe(seconds: number): void;
}

export interface RequestMeter {
  /** The series of these labels, the same one each time. Labels are defined by the service, so there are few. */
  of(method: string, route: string, status: number | 'none'): RequestSeries;
}

interface Series extends RequestSeries {
  labels: Record<string, string | number>;
  /** Requests per bucket: as long as its bound at most, and longer than the one before. The last is for all others. */
  counts: number[];
  sum: number;
}

/** A meter that counts nothing. */
export const uncounted: RequestMeter = { of: () => ({ observe: () => undefined }) };

/**
 * The histogram of request durations. The one of prom-client checks and hashes the labels of every observation (0.7
 * µs); here the labels are looked up once, and an observation is one addition.
 */
export function createRequestMeter(registry: Registry): RequestMeter {
  const all = new Map<string, Series>();

  const metric = {
    name,
    help,
    type: 'histogram',
    labelNames: ['method', 'route', 'status'],
    aggregator: 'sum',
    reset: () => all.clear(),
    get: async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...all.values()].filter(isUsed).flatMap(valuesOf),
    }),
  };
  // The registry renders anything that has a name and `get`, but its types allow only its own classes.
  registry.registerMetric(metric as unknown as Metric);

  return {
    of(method, route, status) {
      const key = `${method} ${status} ${route}`;
      let series = all.get(key);
      if (series === undefined) {
        series = createSeries({ method, route, status });
        all.set(key, series);
      }
      return series;
    },
  };
}

function createSeries(labels: Series['labels']): Series {
  const series: Series = {
    labels,
    counts: new Array(bounds.length + 1).fill(0),
    sum: 0,
    observe(seconds) {
      let place = 0;
      while (place < bounds.length && seconds > (bounds[place] as number)) place += 1;
      series.counts[place] = (series.counts[place] as number) + 1;
      series.sum += seconds;
    },
  };
  return series;
}

/** Series are created before anything is counted in them. */
function isUsed({ counts }: Series): boolean {
  return counts.some((count) => count > 0);
}

/** The values as Prometheus expects them: each bucket includes the ones before it. */
function valuesOf({ labels, counts, sum }: Series) {
  let count = 0;
  const buckets = counts.map((own, place) => {
    count += own;
    const le = bounds[place] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
