import { join } from 'node:path';

const script = join(import.meta.dir, '..', 'test', 'support', 'postgres-server.mjs');

/** Starts a new, empty PostgreSQL. It exits when its standard input is closed. */
export async function startPostgres(): Promise<
  { readonly url: string; readonly pid: number } & AsyncDisposable
> {
  const server = Bun.spawn(['node', script], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' });
  const { value, done } = await server.stdout.getReader().read();
  if (done) throw new Error('PostgreSQL did not start');
  return {
    url: new TextDecoder().decode(value).trim(),
    pid: server.pid,
    async [Symbol.asyncDispose]() {
      await server.stdin.end();
      await server.exited;
    },
  };
}
