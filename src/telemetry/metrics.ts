export interface Sample {
  /** With few values each: never a host, a link or a person. */
  readonly labels?: Readonly<Record<string, string>>;
  /** For a histogram: which of its series. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly kind: 'gauge' | 'counter' | 'histogram';
  /** How the values of several threads or processes of an instance are combined. Default: the sum. */
  readonly aggregation?: 'sum' | 'highest';
  readonly samples: readonly Sample[];
}

/** `value`: its only one, or the samples of a metric with several. */
const metricOf =
  (kind: Metric['kind']) =>
  (name: string, help: string, value: number | readonly Sample[]): Metric => ({
    name,
    help,
    kind,
    samples: typeof value === 'number' ? [{ value }] : value,
  });

export const gauge = metricOf('gauge');
export const counter = metricOf('counter');

/** A metric of which the highest value of an instance's threads and processes counts. */
export const highest = (metric: Metric): Metric => ({ ...metric, aggregation: 'highest' });

/** A sample for each value of a label. */
export const samplesBy = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));

/** The media type of Prometheus' text format. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

export const renderMetrics = (metrics: readonly Metric[]): string =>
  metrics
    .map(
      ({ name, help, kind, samples }) =>
        `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${kind}\n${samples
          .map(({ suffix = '', labels = {}, value }) => `${name}${suffix}${renderLabels(labels)} ${value}\n`)
          .join('')}`,
    )
    .join('');

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** Combines the values of several threads or processes. */
export function mergeMetrics(lists: readonly (readonly Metric[])[]): Metric[] {
  const merged = new Map<string, { metric: Metric; samples: Map<string, Sample> }>();
  for (const metric of lists.flat()) {
    const entry = merged.get(metric.name) ?? { metric, samples: new Map<string, Sample>() };
    merged.set(metric.name, entry);
    for (const sample of metric.samples) {
      const key = `${sample.suffix ?? ''}${renderLabels(sample.labels ?? {})}`;
      const before = entry.samples.get(key)?.value;
      const value =
        before === undefined
          ? sample.value
          : metric.aggregation === 'highest'
            ? Math.max(before, sample.value)
            : before + sample.value;
      entry.samples.set(key, { ...sample, value });
    }
  }
  return [...merged.values()].map(({ metric, samples }) => ({ ...metric, samples: [...samples.values()] }));
}
