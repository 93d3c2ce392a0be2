import { describe, expect, test } from 'bun:test';
import { certificateProblems } from '../src/rules/domains/certificate-problem.ts';
import { dayLength } from '../src/rules/durations.ts';
import { storeKinds } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { documentedMetrics } from './support/documented-metrics.ts';
import { pollUntil } from './support/eventually.ts';
import { promtool, promtoolProblems } from './support/promtool.ts';

const ownHost = 'links.example.com';
const token = 'a token of sixteen'.replaceAll(' ', '-');

describe.each(storeKinds)('metrics on %s', (store) => {
  const unreachable = { ACME_URL: 'https://127.0.0.1:1/dir', DNS_SERVERS: '127.0.0.1:1' };
  const app = appForSuite({
    store,
    env: {
      ...{ HTTPS: 'auto', BASE_URL: `https://${ownHost}`, HOST: '127.0.0.1', PORT: '0', HTTP_PORT: '0' },
      ...{ ...unreachable, METRICS_TOKEN: token },
    },
    overrides: { issueInterval: 20, domainInterval: 600_000 },
  });

  const request = (headers: Record<string, string> = {}, method = 'GET', path = '/metrics') =>
    fetch(`http://127.0.0.1:${app.app.httpPort}${path}`, { method, headers, redirect: 'manual' });
  const metricsText = async () => (await request()).text();
  const problem = (metric: string, name: string, value: number) => `${metric}{problem="${name}"} ${value}\n`;

  test('host names whose certificates fail are counted by problem, without the names', async () => {
    // The authority is down, so the service's own host has no certificate.
    const failureLine = problem('linnet_certificate_failing_names', 'authority_away', 1);
    const text = await pollUntil(metricsText, (found) => found.includes(failureLine), 'the failure');
    expect(text).toContain('linnet_metrics_complete 1\n');
    expect(text).toContain('linnet_certificate_names{certificate="none"} 1\n');
    expect(text).toMatch(/^linnet_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);

    const { database } = app.app.context;
    const at = app.clock.now;
    const until = at + dayLength;
    const rows = [
      { host: 'one.example.net', problem: 'caa', failures: 3, not_after: null },
      { host: 'two.example.net', problem: 'caa', failures: 4, not_after: until + 5_000 },
      { host: 'well.example.net', problem: null, failures: 0, not_after: until },
      { host: 'over.example.net', problem: 'dns', failures: 1, not_after: at - 1 },
    ];
    await database.write(async (queries) => {
      const organization = { created_at: at, name: 'one' };
      const { id } = await queries
        .insertInto('organizations')
        .values(organization)
        .returning('id')
        .executeTakeFirstOrThrow();
      for (const row of rows) {
        const domain = { created_at: at, organization_id: id, host: row.host, verified_at: at };
        await queries.insertInto('domains').values(domain).execute();
        await queries
          .insertInto('certificates')
          .values({ ...row, next_at: until * 2 })
          .execute();
      }
    });
    // A host that is no longer a domain of this service.
    const formerDomain = { host: 'given.example.net', problem: 'caa', failures: 9, next_at: until * 2 };
    await database.write((queries) => queries.insertInto('certificates').values(formerDomain).execute());

    const after = await metricsText();
    expect(after).toContain(problem('linnet_certificate_failing_names', 'caa', 2));
    expect(after).toContain(problem('linnet_certificate_failed_orders', 'caa', 7));
    expect(after).toContain(problem('linnet_certificate_failing_names', 'dns', 1));
    expect(after).toContain(problem('linnet_certificate_failing_names', 'refused', 0));
    expect(after).toContain('linnet_certificate_names{certificate="valid"} 2\n');
    expect(after).toContain('linnet_certificate_names{certificate="none"} 3\n');
    expect(after).toContain(`linnet_certificate_first_end_timestamp_seconds ${Math.round(until / 1000)}\n`);
    expect(after).not.toContain('example.net');
    const samples = after.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const ofPostgres = store === 'postgres' ? ['linnet_changes_lost_total 0'] : [];
    expect(samples.filter((line) => line.startsWith('linnet_changes'))).toEqual(ofPostgres);
    expect(samples.filter((line) => line.startsWith('linnet_certificate'))).toHaveLength(
      3 + 2 * certificateProblems.length,
    );
  });

  test('each metric has its line in the operations page, which has no other lines', async () => {
    const exposed = [...(await metricsText()).matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name ?? '');
    const otherMetrics = ['linnet_workers_serving', 'linnet_workers_ended_total'];
    if (store === 'sqlite') otherMetrics.push('linnet_changes_lost_total');
    const ofClickhouse = ['calls', 'errors', 'insertions', 'inserted_hits', 'insertion_seconds'];
    // These exist from the first statement on, which another test in this process may have sent.
    const names = [
      'linnet_clickhouse_away',
      ...ofClickhouse.map((name) => `linnet_clickhouse_${name}_total`),
    ];
    otherMetrics.push(...names.filter((name) => !exposed.includes(name)));
    expect(exposed.concat(otherMetrics).sort()).toEqual([...(await documentedMetrics())].sort());
  });

  test.skipIf(promtool === null)('Prometheus accepts the metrics without warnings', async () => {
    expect(await promtoolProblems(['check', 'metrics'], await metricsText())).toBe('');
  });

  test('the doctor lists the host names with what to do', async () => {
    const findings = (await app.app.context.runChecks()).filter(({ check }) => check === 'certificate');
    const findingsOf = (host: string) => findings.filter(({ found }) => found.includes(host));
    expect(findingsOf(ownHost)).toMatchObject([
      { state: 'problem', todo: expect.stringContaining('ACME_URL') },
    ]);
    expect(findingsOf('one.example.net')).toEqual([
      {
        check: 'certificate',
        state: 'problem',
        found: 'one.example.net has no certificate: its order failed.',
        todo: expect.stringContaining('a CAA record of one.example.net'),
      },
    ]);
    expect(findingsOf('two.example.net')).toMatchObject([
      { state: 'notice', found: 'The certificate of two.example.net could not be renewed.' },
    ]);
    expect(findingsOf('given.example.net')).toEqual([]);
  });

  test('metrics are for programs on this machine, and for clients with the token', async () => {
    const response = await request();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const forwarded = { 'x-forwarded-for': '192.0.2.1' };
    expect((await request(forwarded)).status).toBe(404);
    expect((await request({ ...forwarded, authorization: `Bearer ${token}x` })).status).toBe(404);
    expect((await request({ ...forwarded, authorization: 'Bearer ' })).status).toBe(404);
    expect((await request({ ...forwarded, authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await request({}, 'POST')).status).toBe(405);
    expect((await request({}, 'GET', '/metrics/x')).status).toBe(404);
  });
});
