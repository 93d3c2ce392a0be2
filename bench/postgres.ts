import { join } from 'node:path';

const script = join(import.meta.dir, '..', 'test', 'support', 'postgres-server.mjs');

/** A fresh, empty PostgreSQL. It ends when our end of its standard input does. */
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
