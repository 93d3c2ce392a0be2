import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { documentedMetrics } from './support/documented-metrics.ts';
import { temporaryFolder } from './support/program.ts';
import { promtool, promtoolProblems } from './support/promtool.ts';

const root = join(import.meta.dir, '..');
const read = (path: string) => Bun.file(join(root, path)).text();

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
const { groups } = Bun.YAML.parse(await read('deploy/prometheus-rules.yaml')) as {
  groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap(({ rules }) => rules);

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(await read('deploy/grafana-dashboard.json')) as {
  readonly panels: readonly Panel[];
};
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** The metrics in an expression; the series of a histogram under the histogram's name. */
const metricsIn = (expr: string): string[] =>
  (expr.match(/linnet_\w+/g) ?? []).map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));

test('rules and the dashboard query existing metrics', async () => {
  const known = await documentedMetrics();
  expect(known.size).toBeGreaterThan(20);
  const used = [...queries, ...rules.map(({ expr }) => expr)].flatMap(metricsIn);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
  // Each metric is used, on the dashboard or in a rule.
  expect([...known].filter((name) => !used.includes(name))).toEqual([]);
});

test('each alert has a section in the operations page that explains its meaning and what to do', async () => {
  const operationsPage = await read('docs/operations.md');
  for (const { alert, labels, annotations } of rules) {
    expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
    expect(['warning', 'critical']).toContain(labels.severity);
    const [, section = ''] = operationsPage.split(`\n### ${alert}\n`);
    const [text = ''] = section.split(/\n#{2,3} /);
    expect([alert, text.trim() !== '', /^1\. /m.test(text)]).toEqual([alert, true, true]);
  }
});

test('each warning and error of the log is explained in the operations page', async () => {
  const operationsPage = await read('docs/operations.md');
  const [, table = ''] = operationsPage.split('\n### What the log says\n');
  const [rows = ''] = table.split('\n## ');
  const logged = /\b(?:warn|warnEach|error|fault)\(\s*'([^']+)'/g;
  const events = new Set<string>();
  for await (const path of new Bun.Glob('src/**/*.ts').scan(root)) {
    if (path.endsWith('.test.ts')) continue;
    for (const [, event = ''] of (await read(path)).matchAll(logged)) events.add(event);
  }
  expect(events.size).toBeGreaterThan(50);
  expect([...events].filter((event) => !rows.includes(`\`${event}\``))).toEqual([]);
});

describe('the dashboard', () => {
  test("has panels that don't overlap", () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });

  test('queries the chosen node, and no other job', () => {
    for (const expr of queries)
      for (const [, braces] of expr.matchAll(/linnet_\w+(\{[^}]*\})?/g))
        expect([expr, braces?.startsWith('{job="linnet",instance=~"$instance"')]).toEqual([expr, true]);
  });
});

describe.skipIf(promtool === null)('Prometheus', () => {
  test('accepts the rules', async () => {
    expect(await promtoolProblems(['check', 'rules', 'deploy/prometheus-rules.yaml'], '', root)).toBe('');
  });

  test('fires the alerts when it should, and none otherwise', async () => {
    const cases = join(import.meta.dir, 'fixtures/prometheus-rules.test.yaml');
    expect(await promtoolProblems(['test', 'rules', cases])).toBe('');
  });

  test("accepts the dashboard's queries", async () => {
    const recordingRules = queries.map((expr, index) => ({
      record: `panel_${index}`,
      expr: expr.replaceAll(/\$__(?:rate_interval|range)/g, '5m').replaceAll('$instance', '.*'),
    }));
    const file = JSON.stringify({ groups: [{ name: 'panels', rules: recordingRules }] });
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'panels.json');
    await Bun.write(path, file);
    expect(await promtoolProblems(['check', 'rules', '--lint=none', path])).toBe('');
  });
});
