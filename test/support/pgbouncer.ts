import { join } from 'node:path';
import { SQL } from 'bun';
import { eventually } from './eventually.ts';
import { freePorts } from './free-ports.ts';
import { temporaryFolder } from './program.ts';

const program = Bun.which('pgbouncer', { PATH: `${process.env.PATH}:/usr/sbin` });
export const hasPgBouncer = program !== null;

interface Pooler extends AsyncDisposable {
  readonly url: string;
}

/** PgBouncer from Debian, in front of a database, in transaction pooling mode. */
export async function startPgBouncer(
  database: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Pooler> {
  const folder = await temporaryFolder();
  const [port = 0] = freePorts(1);
  const server = new URL(database);
  const file = join(folder.path, 'pgbouncer.ini');
  await Bun.write(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
${Object.entries(settings)
  .map(([name, value]) => `${name} = ${value}\n`)
  .join('')}`,
  );
  await Bun.$`chmod 755 ${folder.path} && chmod 644 ${file}`.quiet();
  const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const running = Bun.spawn([program ?? '', '-q', ...asOther, file], { stderr: 'ignore', stdout: 'ignore' });
  const url = new URL(server);
  url.port = String(port);
  await eventually(async () => {
    const sql = new SQL({ url: url.href, max: 1, prepare: false });
    return sql
      .unsafe('select 1')
      .then(
        () => true,
        () => false,
      )
      .finally(() => sql.end());
  }, 'PgBouncer');
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      running.kill('SIGKILL');
      await running.exited;
      await folder[Symbol.asyncDispose]();
    },
  };
}
