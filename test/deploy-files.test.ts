import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { options } from '../src/config/options.ts';

const deploy = join(import.meta.dir, '..', 'deploy');
const yamlOf = async (file: string): Promise<unknown> =>
  Bun.YAML.parse(await Bun.file(join(deploy, file)).text());
const settings = new Set<string>(Object.values(options).map(({ variable }) => variable));
const userId = 65532;

describe('compose.yaml', () => {
  const health = z.strictObject({
    test: z.array(z.string()),
    interval: z.string(),
    timeout: z.string(),
    retries: z.int(),
  });
  const service = z.strictObject({
    profiles: z.array(z.string()).optional(),
    image: z.string(),
    build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
    restart: z.literal('unless-stopped'),
    network_mode: z.literal('service:linnet').optional(),
    env_file: z
      .tuple([z.strictObject({ path: z.literal('linnet.env'), required: z.literal(false) })])
      .optional(),
    environment: z.record(z.string(), z.string()),
    ports: z.array(z.string()).optional(),
    volumes: z.array(z.string()),
    read_only: z.literal(true).optional(),
    tmpfs: z.array(z.string()).optional(),
    cap_drop: z.tuple([z.literal('ALL')]).optional(),
    security_opt: z.tuple([z.literal('no-new-privileges:true')]).optional(),
    sysctls: z.record(z.string(), z.int()).optional(),
    ulimits: z.strictObject({ nofile: z.int() }).optional(),
    stop_grace_period: z.string().optional(),
    healthcheck: health.optional(),
    depends_on: z
      .record(
        z.string(),
        z.strictObject({ condition: z.literal('service_healthy'), required: z.boolean().optional() }),
      )
      .optional(),
  });
  const compose = z.strictObject({
    name: z.literal('linnet'),
    services: z.record(z.string(), service),
    volumes: z.record(z.string(), z.null()),
  });

  test('has Linnet, Caddy and PostgreSQL, with existing settings and volumes', async () => {
    const { services, volumes } = compose.parse(await yamlOf('compose.yaml'));
    expect(Object.keys(services)).toEqual(['linnet', 'caddy', 'postgres']);
    for (const name of Object.keys(services.linnet?.environment ?? {})) expect(settings).toContain(name);
    // For the settings that are not among them.
    expect(services.linnet?.env_file).toBeDefined();
    const named = Object.values(services).flatMap(({ volumes }) =>
      volumes.filter((one) => /^[a-z]+:/.test(one)),
    );
    expect(named.map((one) => one.split(':')[0])).toEqual(Object.keys(volumes));
    expect(
      await Bun.file(join(deploy, services.linnet?.build?.dockerfile.replace('deploy/', '') ?? '')).exists(),
    ).toBe(true);
  });

  test('has all its variables in compose.env, which sets no others', async () => {
    const text = await Bun.file(join(deploy, 'compose.yaml')).text();
    const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name));
    const lines = (await Bun.file(join(deploy, 'compose.env')).text()).split('\n');
    const defined = lines.flatMap((line) => /^#?([A-Z_]+)=/.exec(line)?.[1] ?? []);
    const others = defined.filter((name) => name !== 'COMPOSE_PROFILES' && !used.has(name));
    expect(others).toEqual([]);
    expect(defined).toContain('LINNET_HOST');
    // In linnet.env they would have no effect: docker compose prefers the values of compose.yaml, empty ones too.
    const { linnet } = compose.parse(await yamlOf('compose.yaml')).services;
    const given = Object.values(linnet?.environment ?? {}).flatMap(
      (value) => /\$\{(\w+)/.exec(value)?.[1] ?? [],
    );
    expect(defined).toEqual(expect.arrayContaining(given));
  });
});

test('the Dockerfile copies what the build context has, and uses the user and health check of the other files', async () => {
  const instructions = (await Bun.file(join(deploy, 'Dockerfile')).text())
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, '')
    .split('\n')
    .filter(Boolean)
    .map((line) => /^([A-Z]+) (.*)$/.exec(line) ?? [line]);
  const valuesOf = (name: string) =>
    instructions.flatMap(([, one, rest = '']) => (one === name ? [rest] : []));
  const context = new Set(
    (await Bun.file(join(deploy, '..', '.dockerignore')).text())
      .split('\n')
      .flatMap((line) => /^!(.*)$/.exec(line)?.[1] ?? []),
  );
  const copied = valuesOf('COPY').filter((rest) => !rest.startsWith('--from=build'));
  for (const name of copied.flatMap((rest) => rest.split(' ').slice(0, -1))) {
    expect(context, name).toContain(name);
    expect(existsSync(join(deploy, '..', name)), name).toBe(true);
  }
  expect(valuesOf('FROM')).toEqual([expect.stringContaining(' AS build'), 'scratch']);
  expect([valuesOf('USER'), valuesOf('VOLUME')]).toEqual([[`${userId}:${userId}`], ['/data']]);
  expect(valuesOf('HEALTHCHECK')[0]).toEndWith('CMD ["/usr/bin/linnet", "healthcheck"]');
  expect([valuesOf('STOPSIGNAL'), valuesOf('ENTRYPOINT'), valuesOf('CMD')]).toEqual([
    ['SIGTERM'],
    ['["/usr/bin/linnet"]'],
    ['["serve"]'],
  ]);
  const names = valuesOf('ENV').flatMap((rest) => rest.split(' ').map((one) => one.split('=')[0] ?? ''));
  for (const name of names.filter((name) => name !== 'PATH')) expect(settings).toContain(name);
});

test('the systemd unit is started again without a limit, because PostgreSQL may be up later', async () => {
  const [unit = '', service = ''] = (await Bun.file(join(deploy, 'linnet.service')).text()).split(
    '[Service]',
  );
  expect(unit).toContain('\nStartLimitIntervalSec=0\n');
  expect(service).toMatch(/\nRestart=always\nRestartSec=[1-9]\d*\n/);
});

describe('kubernetes.yaml', () => {
  const labels = z.strictObject({ 'app.kubernetes.io/name': z.literal('linnet') });
  const metadata = z.strictObject({
    name: z.string(),
    namespace: z.literal('linnet'),
    labels: labels.optional(),
  });
  const port = z.strictObject({ name: z.literal('http'), port: z.int(), targetPort: z.literal('http') });
  const probe = z.strictObject({
    httpGet: z.strictObject({ path: z.enum(['/healthz', '/livez']), port: z.literal('http') }),
    periodSeconds: z.int(),
    timeoutSeconds: z.int().optional(),
    failureThreshold: z.int().optional(),
  });
  const amount = z.strictObject({ cpu: z.string().optional(), memory: z.string() });
  const container = z.strictObject({
    name: z.literal('linnet'),
    image: z.string(),
    ports: z.tuple([z.strictObject({ name: z.literal('http'), containerPort: z.literal(3000) })]),
    env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
    envFrom: z.tuple([z.strictObject({ secretRef: z.strictObject({ name: z.literal('linnet') }) })]),
    startupProbe: probe,
    readinessProbe: probe,
    livenessProbe: probe,
    resources: z.strictObject({ requests: amount, limits: amount }),
    securityContext: z.strictObject({
      allowPrivilegeEscalation: z.literal(false),
      readOnlyRootFilesystem: z.literal(true),
      capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
    }),
    volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string() })),
  });
  const pod = z.strictObject({
    automountServiceAccountToken: z.literal(false),
    enableServiceLinks: z.literal(false),
    terminationGracePeriodSeconds: z.int(),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.literal(userId),
      runAsGroup: z.literal(userId),
      fsGroup: z.literal(userId),
      seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
    }),
    topologySpreadConstraints: z.array(
      z.strictObject({
        maxSkew: z.int(),
        topologyKey: z.string(),
        whenUnsatisfiable: z.enum(['ScheduleAnyway', 'DoNotSchedule']),
        labelSelector: z.strictObject({ matchLabels: labels }),
      }),
    ),
    containers: z.tuple([container]),
    volumes: z.array(z.strictObject({ name: z.string(), emptyDir: z.strictObject({}) })),
  });
  const claim = z.strictObject({
    metadata: z.strictObject({ name: z.string() }),
    spec: z.strictObject({
      accessModes: z.tuple([z.literal('ReadWriteOnce')]),
      resources: z.strictObject({ requests: z.strictObject({ storage: z.string() }) }),
    }),
  });
  const resource = z.discriminatedUnion('kind', [
    z.strictObject({
      apiVersion: z.literal('v1'),
      kind: z.literal('Service'),
      metadata,
      spec: z.strictObject({
        clusterIP: z.literal('None').optional(),
        selector: labels,
        ports: z.tuple([port]),
      }),
    }),
    z.strictObject({
      apiVersion: z.literal('policy/v1'),
      kind: z.literal('PodDisruptionBudget'),
      metadata,
      spec: z.strictObject({ minAvailable: z.int(), selector: z.strictObject({ matchLabels: labels }) }),
    }),
    z.strictObject({
      apiVersion: z.literal('apps/v1'),
      kind: z.literal('StatefulSet'),
      metadata,
      spec: z.strictObject({
        serviceName: z.string(),
        replicas: z.literal(3),
        podManagementPolicy: z.literal('Parallel'),
        selector: z.strictObject({ matchLabels: labels }),
        template: z.strictObject({ metadata: z.strictObject({ labels }), spec: pod }),
        volumeClaimTemplates: z.tuple([claim]),
      }),
    }),
  ]);

  test('has three separate nodes, with existing settings and volumes', async () => {
    const found = z.array(resource).parse(await yamlOf('kubernetes.yaml'));
    const names = found.flatMap(({ kind, metadata }) => (kind === 'Service' ? [metadata.name] : []));
    const set = found.find(({ kind }) => kind === 'StatefulSet');
    if (set?.kind !== 'StatefulSet') throw new Error('there is no StatefulSet');
    expect(names).toContain(set.spec.serviceName);
    const { containers, volumes } = set.spec.template.spec;
    for (const { name } of containers[0].env) expect(settings).toContain(name);
    const volumeNames = [...volumes.map(({ name }) => name), set.spec.volumeClaimTemplates[0].metadata.name];
    expect(containers[0].volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumeNames.toSorted());
    const drained = containers[0].env.find(({ name }) => name === 'DRAIN_SECONDS')?.value;
    expect(Number(drained)).toBeGreaterThan(0);
    expect(set.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(drained) + 30);
    const budget = found.find(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budget?.spec).toMatchObject({ minAvailable: 2 });
  });
});

test('the templates use existing settings, and store data where the image does', async () => {
  const coolify = z
    .strictObject({
      services: z.strictObject({
        linnet: z.strictObject({
          image: z.string(),
          environment: z.array(z.string()),
          volumes: z.tuple([z.literal('linnet-data:/data')]),
          healthcheck: z.looseObject({
            test: z.tuple([z.literal('CMD'), z.literal('/usr/bin/linnet'), z.literal('healthcheck')]),
          }),
        }),
      }),
      volumes: z.strictObject({ 'linnet-data': z.null() }),
    })
    .parse(await yamlOf('coolify.yaml'));
  const environment = coolify.services.linnet.environment.map((one) => one.split('=')[0] ?? '');
  for (const name of environment.filter((name) => !name.startsWith('SERVICE_')))
    expect(settings).toContain(name);
  // SERVICE_FQDN_… is a host, and BASE_URL needs its https://, too.
  expect(coolify.services.linnet.environment).toEqual(
    expect.arrayContaining(['SERVICE_URL_LINNET_3000', 'BASE_URL=$SERVICE_URL_LINNET']),
  );

  const unraid = await Bun.file(join(deploy, 'unraid.xml')).text();
  const configs = [...unraid.matchAll(/<Config Name="[^"]+" Target="([^"]+)"[^>]* Type="(\w+)"/g)];
  expect(configs.filter(([, , type]) => type === 'Path').map(([, target]) => target)).toEqual(['/data']);
  for (const [, target = '', type] of configs) if (type === 'Variable') expect(settings).toContain(target);
});
