import { expect, test } from 'bun:test';
import { renderMetrics } from './metrics.ts';

test('metrics are written in the Prometheus format', () => {
  const text = renderMetrics([
    { name: 'linnet_up', help: 'One\nline \\ of help.', kind: 'gauge', samples: [{ value: 1 }] },
    {
      name: 'linnet_things_total',
      help: 'Things.',
      kind: 'counter',
      samples: [
        { labels: { kind: 'a "b" \\ c\n', state: 'ok' }, value: 2.5 },
        { labels: { kind: 'd' }, value: 0 },
      ],
    },
  ]);
  expect(text).toBe(
    [
      '# HELP linnet_up One\\nline \\\\ of help.',
      '# TYPE linnet_up gauge',
      'linnet_up 1',
      '# HELP linnet_things_total Things.',
      '# TYPE linnet_things_total counter',
      'linnet_things_total{kind="a \\"b\\" \\\\ c\\n",state="ok"} 2.5',
      'linnet_things_total{kind="d"} 0',
      '',
    ].join('\n'),
  );
});
