import { SQL } from 'bun';

/** One server for all tests of a process. */
const shared = globalThis as { linnetTestPostgres?: Promise<string> | undefined };

const start = async (): Promise<string> => {
  const server = Bun.spawn(['node', `${import.meta.dir}/postgres-server.mjs`], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  server.unref();
  const reader = server.stdout.getReader();
  const { value, done } = await reader.read();
  if (done) throw new Error('PostgreSQL did not start');
  return new TextDecoder().decode(value).trim();
};

let databases = 0;

/** The address of a new, empty database. */
export const freshPostgres = (): Promise<string> => copyOfPostgres('template1');

/** The address of a new database that has what another one has, to which nothing may be connected. */
export async function copyOfPostgres(template: string): Promise<string> {
  const isFirst = shared.linnetTestPostgres === undefined;
  try {
    return await createDatabase(template);
  } catch (cause) {
    if (isFirst || (cause as { code?: string }).code !== 'ERR_POSTGRES_CONNECTION_REFUSED') throw cause;
    // A test that takes too long ends with all processes that its process has started.
    shared.linnetTestPostgres = undefined;
    return createDatabase(template);
  }
}

async function createDatabase(template: string): Promise<string> {
  shared.linnetTestPostgres ??= start();
  const url = await shared.linnetTestPostgres;
  const name = `test_${process.pid}_${++databases}`;
  const admin = new SQL({ url, max: 1 });
  await admin.unsafe(`create database ${name} template ${template}`);
  await admin.end();
  return url.replace(/\/postgres$/, `/${name}`);
}
