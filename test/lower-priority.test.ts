import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './support/eventually.ts';
import { storeFolder } from './support/migrated-store.ts';
import { runServer, stop } from './support/program.ts';

const isLinux = process.platform === 'linux';

test.if(isLinux)("of the worker threads only the visitors' thread keeps its priority", async () => {
  await using folder = await storeFolder();
  const server = runServer({ PORT: '0', DATA_DIR: folder.path });
  await server.address();
  const workers = () => threadsOf(server.pid).filter(({ name }) => name === 'Worker');
  await eventually(
    () => workers().length >= 4 && workers().slice(1).every(hasLowPriority),
    "the store's threads",
  );
  expect(workers().filter((thread) => !hasLowPriority(thread)).length).toBe(1);
  expect(threadsOf(server.pid).find(({ id }) => id === server.pid)).toMatchObject({ niceness: 15 });
  await stop(server);
});

test.if(isLinux)('a command has a lower priority than a server on the same machine', async () => {
  await using folder = await storeFolder();
  // The command waits for a password on its standard input.
  const command = ['src/main.ts', 'user', 'create', '--email', 'ada@example.com'];
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: join(import.meta.dir, '..'),
    env: { DATA_DIR: folder.path },
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await eventually(() => threadsOf(child.pid).some(hasLowPriority), 'the command to lower its priority');
  expect(child.exitCode).toBeNull();
  child.kill('SIGKILL');
  await child.exited;
});

interface Thread {
  readonly id: number;
  readonly name: string;
  readonly niceness: number;
}

const hasLowPriority = ({ niceness }: Thread): boolean => niceness === 15;

/** The threads of a process in the order in which they were started. */
function threadsOf(pid: number): Thread[] {
  const ids = readdirSync(`/proc/${pid}/task`).map(Number);
  return ids.flatMap((id) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8');
      const end = stat.lastIndexOf(')');
      const fields = stat.slice(end + 2).split(' ');
      return [{ id, name: stat.slice(stat.indexOf('(') + 1, end), niceness: Number(fields[16]) }];
    } catch {
      // The thread has ended in the meantime.
      return [];
    }
  });
}
