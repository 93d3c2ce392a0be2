import { expect, test } from 'bun:test';
import { eventually } from './support/eventually.ts';
import { freePorts } from './support/free-ports.ts';
import { storeFolder } from './support/migrated-store.ts';
import { runServerRedirected, stop } from './support/program.ts';

test.each([
  ['the program that reads the log has ended', '2> >(exit)'],
  ['the disk is full of what it prints and logs', '>/dev/full 2>/dev/full'],
])('the server runs on when %s', async (_, redirection) => {
  await using folder = await storeFolder();
  const [port = 0] = freePorts(1);
  const program = runServerRedirected(redirection, {
    PORT: String(port),
    DATA_DIR: folder.path,
    ACCESS_LOG: 'on',
  });
  try {
    const statusOf = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        ({ status }) => status,
        () => 0,
      );
    await eventually(async () => (await statusOf('/readyz')) === 200, 'the start');
    // The access log is written ten times a second, by the thread of the visitors and by that of the app server.
    const statuses = new Set<string>();
    for (let turn = 0; turn < 4; turn++) {
      statuses.add(`${await statusOf('/no-such-link')} ${await statusOf('/api/v1/session')}`);
      await Bun.sleep(250);
    }
    expect([...statuses]).toEqual(['404 401']);
    await stop(program);
  } finally {
    program.kill('SIGKILL');
  }
});
