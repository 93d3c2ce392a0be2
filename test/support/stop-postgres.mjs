import { removeFolders } from './postgres-folders.mjs';

/** Milliseconds for servers to end. */
const stopTimeout = 5_000;

/**
 * Ends the servers and this process, and removes their files. A server that is killed would leave its shared memory behind: after some
 * thousand of them the system has no more for others.
 */
export async function stopServers(servers, code, message) {
  if (message) process.stderr.write(`${message}\n`);
  const running = servers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const killing = setTimeout(() => {
    for (const server of running) server.kill('SIGKILL');
  }, stopTimeout);
  await Promise.all(running.map(stopAtOnce));
  clearTimeout(killing);
  removeFolders();
  process.exit(code);
}

function stopAtOnce(server) {
  const stopped = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGQUIT');
  // A test may have suspended it.
  server.kill('SIGCONT');
  return stopped;
}
