import { SQL } from 'bun';

/** One server for the whole run, a fresh database for whoever asks. */
const shared = globalThis as { linnetTestPostgres?: Promise<string> };

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

export async function freshPostgres(): Promise<string> {
  shared.linnetTestPostgres ??= start();
  const url = await shared.linnetTestPostgres;
  const name = `test_${process.pid}_${++databases}`;
  const admin = new SQL({ url, max: 1 });
  await admin.unsafe(`create database ${name}`);
  await admin.end();
  return url.replace(/\/postgres$/, `/${name}`);
}
