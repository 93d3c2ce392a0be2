import { version } from '../../package.json' with { type: 'json' };
import { sameText } from '../auth/secrets.ts';
import { certificateMetrics } from '../certificates/metrics.ts';
import type { Config } from '../config/options.ts';
import type { IncomingRequest } from '../http/router.ts';
import type { Context } from '../manage/context.ts';
import { gauge, type Metric, metricsType, renderMetrics } from '../telemetry/metrics.ts';
import { notFoundPage } from '../visit/pages.ts';
import { pageResponse } from '../visit/response.ts';
import { readOnly } from './read-only.ts';
import { destinationMetrics } from './store-metrics.ts';

export type MetricSource = () => Promise<readonly Metric[]>;

/**
 * `/metrics` for Prometheus: for programs on this machine and trusted proxies' own calls, and for clients with
 * METRICS_TOKEN. For other clients the path doesn't exist.
 */
export function metricsRoute(
  config: Pick<Config, 'https' | 'metricsToken' | 'watchDestinations'>,
  { database, now, site }: Context,
  further: readonly MetricSource[],
): (incoming: IncomingRequest) => Response | Promise<Response> {
  const sources: readonly MetricSource[] = [
    ...(config.watchDestinations === 'on' ? [() => destinationMetrics(database.read, now())] : []),
    ...(config.https === 'auto' ? [() => certificateMetrics(database.read, site.defaultHost, now())] : []),
    ...further,
  ];
  const answer = readOnly(async () => {
    const found = await Promise.allSettled(sources.map((source) => source()));
    const metrics = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    return new Response(
      renderMetrics([...about(found.every(({ status }) => status === 'fulfilled')), ...metrics]),
      {
        headers: { 'content-type': metricsType, 'cache-control': 'no-store' },
      },
    );
  });
  return (incoming) => {
    const isAllowed = incoming.isInternal() || hasToken(incoming.request, config.metricsToken);
    return incoming.path === '/metrics' && isAllowed
      ? answer(incoming)
      : pageResponse(notFoundPage(incoming.host));
  };
}

const about = (isWhole: boolean): readonly Metric[] => [
  gauge('linnet_build_info', 'The version that answers.', [{ labels: { version }, value: 1 }]),
  gauge(
    'linnet_metrics_complete',
    'Whether all metrics could be read: 0 while the database is away, when those that are read from it are missing.',
    Number(isWhole),
  ),
];

function hasToken({ headers }: Request, token: string | null): boolean {
  const given = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  return token !== null && given !== undefined && sameText(given, token);
}
