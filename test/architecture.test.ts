import { expect, test } from 'bun:test';
import { dirname, join, relative } from 'node:path';

const source = join(import.meta.dir, '..', 'src');

/** The folders that each folder of src may import. A file at the top of src counts as a folder. */
const allowedImports: Record<string, readonly string[]> = {
  rules: [],
  config: ['rules'],
  telemetry: [],
  structures: ['rules'],
  'start-problem.ts': [],
  storage: ['rules', 'structures', 'threads', 'bundle'],
  auth: ['rules', 'storage', 'structures'],
  http: ['rules', 'config', 'structures'],
  visit: ['journal', 'rules', 'config', 'storage', 'http', 'structures', 'bundle', 'start-problem.ts'],
  backup: ['rules', 'storage', 'ledger', 'start-problem.ts'],
  health: [
    'rules',
    'auth',
    'backup',
    'bundle',
    'config',
    'domains',
    'journal',
    'ledger',
    'mail',
    'storage',
    'structures',
  ],
  journal: ['rules', 'storage'],
  ledger: ['journal', 'storage', 'rules', 'structures', 'threads', 'bundle'],
  stats: ['ledger', 'storage', 'rules'],
  webhooks: ['ledger', 'rules', 'storage', 'structures'],
  domains: ['rules', 'structures'],
  mail: ['rules', 'http', 'structures'],
  certificates: ['rules', 'storage', 'auth', 'telemetry'],
  qr: [],
  bundle: [],
  manage: ['bundle', 'rules', 'storage', 'auth', 'ledger', 'webhooks', 'config', 'mail', 'structures'],
  api: ['manage', 'auth', 'http', 'qr', 'stats', 'rules', 'structures', 'telemetry'],
  dashboard: ['qr', 'rules'],
  'store.ts': [
    'backup',
    'bundle',
    'rules',
    'auth',
    'config',
    'journal',
    'ledger',
    'storage',
    'telemetry',
    'start-problem.ts',
  ],
  'fold-thread.ts': ['*'],
  'visitor-thread.ts': ['*'],
  'app.ts': ['*'],
  compose: ['*'],
  threads: [],
  workers: [],
  'main.ts': ['serve.ts', 'cli', 'bundle'],
  'serve.ts': ['*'],
  cli: ['*'],
};

/** Imports that are limited to some files of the folder. */
const allowedFiles: Record<string, RegExp> = {
  'manage → webhooks': /^webhooks\/(outbox|target-guard|guarded-request|guarded-page)/,
  'manage → ledger':
    /^ledger\/(corrections\/(correction-step|first-classes)|external-hits|retention\/delete-hits|has-all-hits)/,
  'dashboard → rules':
    /^rules\/(link-rules\/rule-|click-fields|durations|csv|agents\/(agent-|app-browsers)|destinations\/utm)/,
  'mail → http': /^http\/html/,
  'serve.ts → visit': /^visit\/connection\/reserve-port/,
  'storage → bundle': /^bundle\/module-urls/,
  'main.ts → bundle': /^bundle\/start-environment/,
  'manage → bundle': /^bundle\/shell-command/,
  'storage → threads': /^threads\/(yield-core|gc-when-idle|free-descriptors)/,
  'ledger → bundle': /^bundle\/module-urls/,
  'ledger → threads': /^threads\/(yield-core|free-descriptors)/,
  'store.ts → ledger': /^ledger\/clickhouse\/clickhouse-hits/,
  'store.ts → journal': /^journal\/(store-mark|lost-store)/,
  'store.ts → backup': /^backup\/before-upgrade/,
  'health → ledger': /^ledger\/clickhouse\/clickhouse-client/,
  'health → journal': /^journal\/(files|lost-store|store-mark|unfolded)/,
  'backup → ledger':
    /^ledger\/(packs\/hit-pack|chunks\/(hit-chunk|chunk-scan|chunk-store)|stores\/partitions)/,
  'journal → storage': /^storage\/file-lock/,
};

/** Files of `ledger/` that put its folders together. Its other files are shared by all folders, and import none of them. */
const ledgerEntries = ['open-ledger', 'open-counts', 'has-all-hits', 'click-recorder'].map(
  (name) => `ledger/${name}.ts`,
);

/** The folders of `ledger/`, and which of the others each may import. Only corrections also read through the entries. */
const ledgerImports: Record<string, readonly string[]> = {
  counts: [],
  visitors: [],
  packs: [],
  chunks: ['counts', 'packs'],
  stores: ['counts', 'visitors', 'packs', 'chunks'],
  retention: ['counts', 'visitors', 'packs', 'chunks'],
  fold: ['counts', 'visitors', 'retention'],
  corrections: ['counts', 'visitors', 'packs', 'chunks', 'fold'],
  clickhouse: ['packs', 'chunks', 'stores'],
};

const folderOf = (path: string): string => path.split('/')[0] ?? '';

async function importsOf(file: string): Promise<string[]> {
  const text = await Bun.file(join(source, file)).text();
  const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '');
  return targets.map((target) => relative(source, join(source, dirname(file), target)));
}

const files = (await Array.fromAsync(new Bun.Glob('**/*.{ts,tsx}').scan({ cwd: source }))).filter(
  (file) => !file.includes('.test.'),
);

test('folders only import what the design allows', async () => {
  expect(files.length).toBeGreaterThan(50);
  const violations: string[] = [];
  for (const file of files) {
    const from = folderOf(file);
    const allowed = allowedImports[from];
    if (!allowed) violations.push(`${file} is in no folder that test/architecture.test.ts lists`);
    for (const target of await importsOf(file)) {
      const to = folderOf(target);
      if (to === from || target.startsWith('..')) continue;
      const isAllowed = allowed?.includes('*') || allowed?.includes(to);
      const pattern = allowedFiles[`${from} → ${to}`];
      if (!isAllowed || (pattern && !pattern.test(target))) violations.push(`${file} → ${target}`);
    }
  }
  expect(violations).toEqual([]);
});

test('no folder is allowed an import that none of its files has', async () => {
  const used = new Set<string>();
  for (const file of files)
    for (const target of await importsOf(file)) used.add(`${folderOf(file)} → ${folderOf(target)}`);
  const allowed = Object.entries(allowedImports).flatMap(([from, targets]) =>
    targets.filter((to) => to !== '*').map((to) => `${from} → ${to}`),
  );
  expect(allowed.filter((pair) => !used.has(pair))).toEqual([]);
});

test('folders of the ledger only import what is below them', async () => {
  const folderInLedger = (file: string) => /^ledger\/(\w+)\//.exec(file)?.[1] ?? null;
  const violations: string[] = [];
  for (const file of files.filter((name) => name.startsWith('ledger/') && !ledgerEntries.includes(name))) {
    const from = folderInLedger(file);
    const allowed = from === null ? [] : ledgerImports[from];
    for (const target of await importsOf(file)) {
      const to = folderInLedger(target);
      const isEntry = ledgerEntries.includes(target) && from !== 'corrections';
      if (isEntry || (to !== null && to !== from && !allowed?.includes(to)))
        violations.push(`${file} → ${target}`);
    }
  }
  expect(violations).toEqual([]);
});

test('only entry points import the composition root, and only it and they import its parts', async () => {
  for (const file of files) {
    if (['serve.ts', 'cli'].includes(folderOf(file))) continue;
    const imports = await importsOf(file);
    expect(imports).not.toContain('app.ts');
    if (!['app.ts', 'compose', 'visitor-thread.ts', 'fold-thread.ts'].includes(folderOf(file))) {
      expect(imports.filter((target) => folderOf(target) === 'compose')).toEqual([]);
    }
  }
});

test('only the entry point reads the environment', async () => {
  for (const file of files) {
    const text = await Bun.file(join(source, file)).text();
    if (/process\.env|Bun\.env|import\.meta\.env/.test(text)) expect(file).toBe('main.ts');
  }
});

test('no file has an unspecific name', () => {
  for (const file of files)
    expect(file).not.toMatch(/(^|\/)(utils?|helpers?|common|constants|types|misc)\.tsx?$/);
});

test('the files and folders that ARCHITECTURE.md names exist', async () => {
  const root = join(source, '..');
  const text = await Bun.file(join(root, 'ARCHITECTURE.md')).text();
  const existing = await Array.fromAsync(
    new Bun.Glob('{src,test,docs,scripts}/**/*').scan({ cwd: root, onlyFiles: true }),
  );
  const names = [...text.matchAll(/`([\w./-]+(?:\.(?:tsx?|css|md)|\/))`/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(60);
  const missing = names.filter((name) => {
    const matches = name.endsWith('/')
      ? (file: string) => `/${file}`.includes(`/${name}`)
      : (file: string) => `/${file}`.endsWith(`/${name}`);
    return !existing.some(matches);
  });
  expect(missing).toEqual([]);
});

test('the identifiers that ARCHITECTURE.md names exist', async () => {
  const text = await Bun.file(join(source, '..', 'ARCHITECTURE.md')).text();
  const sources = await Promise.all(files.map((file) => Bun.file(join(source, file)).text()));
  const words = new Set(sources.join('\n').match(/\w+/g));
  const names = [...text.matchAll(/`([A-Za-z]\w*(?:\.[A-Za-z]\w*)?)`/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !name.split('.').every((word) => words.has(word)))).toEqual([]);
});

test('there are no import cycles, including types', async () => {
  const imports = new Map(
    await Promise.all(files.map(async (file) => [file, await importsOf(file)] as const)),
  );
  const cycles = cyclesIn(imports).map((cycle) =>
    cycle.flatMap((file) =>
      (imports.get(file) ?? [])
        .filter((target) => cycle.includes(target))
        .map((target) => `${file} → ${target}`),
    ),
  );
  expect(cycles, 'the imports that form cycles').toEqual([]);
});

/** The strongly connected components of more than one file, by Tarjan's algorithm. */
function cyclesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    const index = order.size;
    order.set(file, index);
    stack.push(file);
    let lowest = index;
    for (const target of imports.get(file) ?? []) {
      if (!imports.has(target)) continue;
      const seen = order.get(target);
      if (seen === undefined) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, seen);
    }
    if (lowest === index) {
      const cycle = stack.splice(stack.indexOf(file));
      if (cycle.length > 1) cycles.push(cycle);
    }
    return lowest;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

test('modules for ClickHouse are only loaded if CLICKS_URL is set', async () => {
  const transpilers = {
    ts: new Bun.Transpiler({ loader: 'ts' }),
    tsx: new Bun.Transpiler({ loader: 'tsx' }),
  };
  const importers: string[] = [];
  for (const file of files.filter((name) => !name.startsWith('ledger/clickhouse/'))) {
    // The transpiler drops imports of types.
    const transpiler = transpilers[file.endsWith('x') ? 'tsx' : 'ts'];
    const imports = transpiler.scanImports(await Bun.file(join(source, file)).text());
    for (const { path, kind } of imports)
      if (path.includes('/clickhouse/') || path.includes('chdb')) importers.push(`${file}: ${kind}`);
  }
  expect(importers.sort()).toEqual([
    'cli/backup.ts: dynamic-import',
    'cli/backup.ts: dynamic-import',
    'cli/clicks.ts: dynamic-import',
    'cli/clicks.ts: dynamic-import',
    'cli/restore-backup.ts: dynamic-import',
    'cli/restore-backup.ts: dynamic-import',
    'compose/fold-parts.ts: dynamic-import',
    'health/click-server.ts: dynamic-import',
    'store.ts: dynamic-import',
  ]);
});

test('threads load no package that they can do without, because each thread loads it again', async () => {
  expect(await packagesOf('storage/drivers/sqlite-thread.ts')).toEqual(new Set());
  const ofFold = await packagesOf('fold-thread.ts');
  const ofVisitors = await packagesOf('visitor-thread.ts');
  // As proof that packages are found.
  expect([...ofFold, ...ofVisitors]).toContain('kysely');
  expect(['kysely', 'pg'].filter((name) => ofFold.has(name))).toEqual([]);
  expect(['pg', 'zod', 'hono'].filter((name) => ofVisitors.has(name))).toEqual([]);
});

/** The packages that a thread loads at its start: dynamic imports come later, if at all. */
async function packagesOf(entry: string): Promise<ReadonlySet<string>> {
  const transpiler = new Bun.Transpiler({ loader: 'ts' });
  const loaded = new Set([entry]);
  const packages = new Set<string>();
  for (const file of loaded)
    for (const { path, kind } of transpiler.scanImports(await Bun.file(join(source, file)).text())) {
      if (kind !== 'import-statement') continue;
      if (path.startsWith('.')) loaded.add(join(dirname(file), path));
      else if (!/^(node|bun):/.test(path)) packages.add(path);
    }
  return packages;
}
