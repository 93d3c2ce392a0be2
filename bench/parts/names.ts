import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { connect } from 'node:tls';
import startEnvironment from '../../scripts/start-environment.json' with { type: 'json' };
import { Secrets } from '../../src/auth/secrets.ts';
import { dayLength } from '../../src/rules/durations.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { selfSigned } from '../../test/support/certificate.ts';
import { freePorts } from '../../test/support/free-ports.ts';
import { cpuTime } from '../cpu-time.ts';
import type { Effort } from '../effort.ts';
import { killOnExit, temporaryFolder } from '../exit-cleanup.ts';
import { type Figure, figure, ratio } from '../figures.ts';
import type { Program } from '../program.ts';
import { kilobytesOf } from '../redirect/process-tree.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';

/** What is promised: the maximum of megabytes for all names, each with a certificate, which are found in constant time. */
const promised = 64;

const ownHost = 'links.example.com';
const nameOf = (index: number): string => `n${index}.example.org`;
const month = 30 * dayLength;
const timeout = 60_000;
const concurrency = 16;
const secretKey = 'a key of the bench, as long as they have to be';

interface Service extends AsyncDisposable {
  readonly program: Program;
  readonly names: number;
  /** Microseconds of CPU per handshake, for each round. */
  readonly cost: number[];
}

/** Compares a service with many names and one with few. Each name has its own certificate, as if obtained by ACME. */
export async function measureNames({ names: { few, many, rounds, handshakes } }: Effort): Promise<Report> {
  await using small = await startService(few);
  await using large = await startService(many);
  const before = [await memoryWhenIdle(small), await memoryWhenIdle(large)] as const;
  await handshakeAll(
    small,
    Array.from({ length: many }, (_, index) => index % few),
  );
  await handshakeAll(
    large,
    Array.from({ length: many }, (_, index) => index),
  );
  const after = [await memoryWhenIdle(small), await memoryWhenIdle(large)] as const;
  const services = [small, large];
  for (let round = 0; round < rounds; round++) {
    for (const service of round % 2 === 0 ? services : services.toReversed())
      await measureRound(service, handshakes);
  }
  const [grownSmall, grownLarge] = [after[0] - before[0], after[1] - before[1]];
  const costs = { few: figure(small.cost), many: figure(large.cost), ratio: ratio(large.cost, small.cost) };
  return report(few, many, grownSmall, grownLarge, costs);
}

async function startService(names: number): Promise<Service> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const database = await openDatabase(null, folder.path, (cause) => {
    throw cause;
  });
  await database.close();
  insertNames(join(folder.path, 'linnet.sqlite'), names);
  const [port = 0] = freePorts(1);
  const child = Bun.spawn([process.execPath, 'src/main.ts', 'serve'], {
    cwd: join(import.meta.dir, '..', '..'),
    env: {
      ...{ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
      ...startEnvironment,
      ...{ HTTPS: 'auto', BASE_URL: `https://${ownHost}`, PORT: String(port), HTTP_PORT: 'off' },
      // Never called, because no certificate is due.
      ...{ HOST: '127.0.0.1', ACME_URL: 'https://127.0.0.1:1/directory' },
      ...{ DATA_DIR: folder.path, SECRET_KEY: secretKey, LOG_LEVEL: 'error' },
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  });
  killOnExit(child);
  stack.defer(async () => {
    child.kill('SIGTERM');
    await child.exited;
  });
  const program = { port, pid: child.pid, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  const service: Service = { program, names, cost: [], [Symbol.asyncDispose]: () => stack.disposeAsync() };
  const deadline = performance.now() + timeout;
  while (!(await handshake(port, ownHost))) {
    if (performance.now() > deadline) throw new Error('the server does not answer');
    await Bun.sleep(50);
  }
  return service;
}

function insertNames(file: string, names: number): void {
  const store = new Database(file);
  const secrets = new Secrets(secretKey);
  const now = Date.now();
  // As long as Let's Encrypt's chains: each certificate is followed by that of its authority.
  const authorityCertificate = selfSigned('authority.example', { moreBytes: 700 }).certificate;
  const insert = store.prepare(
    'insert into certificates (host, chain, sealed_key, not_after, renew_at, next_at) values (?, ?, ?, ?, ?, ?)',
  );
  const insertDomain = store.prepare(
    'insert into domains (created_at, organization_id, host, verified_at, next_check_at) values (1, 1, ?, 1, ?)',
  );
  const days = [-1, 90] as const;
  store.transaction(() => {
    store.run("insert into organizations (id, created_at, name) values (1, 1, 'bench')");
    for (const host of [ownHost, ...Array.from({ length: names }, (_, index) => nameOf(index))]) {
      const { certificate, key } = selfSigned(host, { days, moreBytes: 600 });
      insert.run(
        host,
        certificate + authorityCertificate,
        secrets.seal(key),
        now + 3 * month,
        now + 2 * month,
        now + 2 * month,
      );
      if (host !== ownHost) insertDomain.run(host, now + month);
    }
  })();
  store.close();
}

async function measureRound(service: Service, handshakes: number): Promise<void> {
  const chosen = Array.from({ length: handshakes }, () => Math.floor(Math.random() * service.names));
  const before = cpuTime(service.program) ?? Number.NaN;
  await handshakeAll(service, chosen);
  service.cost.push(((cpuTime(service.program) ?? Number.NaN) - before) / handshakes);
}

async function handshakeAll({ program }: Service, indexes: readonly number[]): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = indexes[next++]; index !== undefined; index = indexes[next++]) {
      if (!(await handshake(program.port, nameOf(index))))
        throw new Error(`${nameOf(index)} has no certificate`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Whether the server presents a certificate for this name. */
function handshake(port: number, servername: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().subjectaltname === `DNS:${servername}`);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

/** Megabytes not backed by a file, once the process is idle. */
async function memoryWhenIdle({ program }: Service): Promise<number> {
  for (let before = cpuTime(program) ?? 0; ; ) {
    await Bun.sleep(3_000);
    const now = cpuTime(program) ?? 0;
    if (now - before <= 60_000) break;
    before = now;
  }
  return kilobytesOf(program.pid, 'Pss_Anon') / 1_000;
}

function report(
  few: number,
  many: number,
  grownFew: number,
  grownMany: number,
  costs: Readonly<Record<'few' | 'many' | 'ratio', Figure>>,
): Report {
  const timeNote = costs.ratio.median > 2 ? ['Finding a name does not take constant time.'] : [];
  const memoryNote = grownMany > promised ? [`Promised: at most ${promised} MB.`] : [];
  return {
    title: 'Names, each with its own certificate',
    columns: [`${few} names`, `${many} names`, 'ratio', 'range'],
    rows: [
      [`MB added by ${many} handshakes`, formatNumber(grownFew), formatNumber(grownMany), '', ''],
      [
        'µs of CPU a handshake, random names',
        formatNumber(costs.few.median),
        formatNumber(costs.many.median),
        formatNumber(costs.ratio.median),
        formatRange(costs.ratio),
      ],
    ],
    notes: [
      'All names were visited once. The certificates of the last 3,000 are in memory; the others are loaded during the handshake.',
      ...memoryNote,
      ...timeNote,
    ],
    figures: { few, many, megabytes: { few: grownFew, many: grownMany }, handshake_microseconds: costs },
  };
}
