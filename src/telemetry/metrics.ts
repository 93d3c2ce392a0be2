export interface Sample {
  /** Of few values each: never a host, a link or a person. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly kind: 'gauge' | 'counter';
  readonly samples: readonly Sample[];
}

/** The media type of Prometheus' text format. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

export const renderMetrics = (metrics: readonly Metric[]): string =>
  metrics
    .map(
      ({ name, help, kind, samples }) =>
        `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${kind}\n${samples
          .map(({ labels = {}, value }) => `${name}${renderLabels(labels)} ${value}\n`)
          .join('')}`,
    )
    .join('');

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
