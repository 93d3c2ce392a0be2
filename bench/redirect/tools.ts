/** The tools that the comparison needs, and how to install them. */
const tools: Record<string, string> = {
  nginx: 'the server Linnet is measured against (Debian and Ubuntu: apt-get install nginx-light)',
  wrk: 'the load generator (Debian and Ubuntu: apt-get install wrk)',
  taskset: 'pins a process to a core (Debian and Ubuntu: apt-get install util-linux)',
};

export function requireTools(): void {
  const missing = Object.entries(tools).filter(([name]) => find(name) === null);
  const isLinux = process.platform === 'linux';
  if (missing.length === 0 && isLinux) return;
  if (!isLinux) fail('This bench reads CPU times from /proc and pins processes to cores: it needs Linux.');
  fail(
    [
      'This bench needs programs that are not installed:',
      ...missing.map(([name, what]) => `  ${name}: ${what}`),
      'Fedora has them as nginx, wrk and util-linux; Arch as nginx, wrk (from the AUR) and util-linux.',
    ].join('\n'),
  );
}

/** Servers are often installed outside a user's PATH. */
const searchPath = `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin`;

export const find = (name: string): string | null => Bun.which(name, { PATH: searchPath });

export function toolPath(name: keyof typeof tools): string {
  const path = find(name);
  if (path === null) throw new Error(`${name} is not installed`);
  return path;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
