/** `npm run build -- --deb`: builds a Debian package of the one file with its systemd unit. Requires dpkg-deb. */
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../package.json' with { type: 'json' };

const root = join(import.meta.dir, '..');

const architectures: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };

const control = (architecture: string, size: number) => `Package: linnet
Version: ${version}
Architecture: ${architecture}
Maintainer: The maintainers of Linnet <maintainers@linnet.invalid>
Installed-Size: ${Math.ceil(size / 1024)}
Depends: libc6 (>= 2.17)
Section: web
Priority: optional
Description: short links that stay yours
 A link shortener in one program: redirects, statistics, custom domains, a
 dashboard and an API, with built-in SQLite or with PostgreSQL.
`;

const settings = `# Settings of Linnet, one per line; docs/operations.md in its sources lists all of them.
# After a change: systemctl restart linnet
# HTTPS=auto obtains certificates automatically; behind a proxy omit it, and set TRUSTED_PROXIES=1.
#BASE_URL=https://links.example.com
#HTTPS=auto
`;

/** There may be no systemd, as in a container. */
const ifSystemd = (commands: string) => `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
${commands}
fi
`;

const scripts = {
  postinst: ifSystemd(`	systemctl daemon-reload
	if [ -z "$2" ]; then
		echo 'Look at /etc/linnet/linnet.env, then: systemctl enable --now linnet'
	else
		systemctl try-restart linnet
	fi`),
  prerm: ifSystemd(`	if [ "$1" = remove ]; then systemctl disable --now linnet || true; fi`),
  postrm: ifSystemd(`	systemctl daemon-reload || true`),
};

/** Null if Debian doesn't support the platform or its C library. */
export async function buildDeb(target: string, file: string, dist: string): Promise<string | null> {
  const architecture = architectures[target];
  if (architecture === undefined) return null;
  const folder = await mkdtemp(join(tmpdir(), 'linnet-deb-'));
  const add = async (path: string, text: string, mode = 0o644) => {
    const target = join(folder, path);
    await mkdir(join(target, '..'), { recursive: true });
    await writeFile(target, text);
    await chmod(target, mode);
  };
  try {
    await mkdir(join(folder, 'usr', 'bin'), { recursive: true });
    await cp(file, join(folder, 'usr', 'bin', 'linnet'));
    await chmod(join(folder, 'usr', 'bin', 'linnet'), 0o755);
    await add(
      'lib/systemd/system/linnet.service',
      await Bun.file(join(root, 'deploy', 'linnet.service')).text(),
    );
    await add('etc/linnet/linnet.env', settings, 0o600);
    await add('usr/share/doc/linnet/copyright', await Bun.file(join(root, 'LICENSE')).text());
    await add('DEBIAN/control', control(architecture, Bun.file(file).size));
    await add('DEBIAN/conffiles', '/etc/linnet/linnet.env\n');
    for (const [name, script] of Object.entries(scripts)) await add(`DEBIAN/${name}`, script, 0o755);
    await chmod(folder, 0o755);
    const debFile = join(dist, `linnet_${version}_${architecture}.deb`);
    const child = Bun.spawn(['dpkg-deb', '--root-owner-group', '-Zgzip', '--build', folder, debFile], {
      // The same time for all files, so that builds are reproducible.
      env: { ...process.env, SOURCE_DATE_EPOCH: process.env.SOURCE_DATE_EPOCH ?? '0' },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
    });
    if ((await child.exited) !== 0) throw new Error('dpkg-deb failed.');
    return debFile;
  } finally {
    await rm(folder, { recursive: true });
  }
}
