import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chown, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../package.json' with { type: 'json' };
import { eventually } from './support/eventually.ts';
import { buildFile, builtFile, reportSkipped, toolOutput } from './support/one-file.ts';
import { problemsOf, resultOf, runFile, stop, temporaryFolder } from './support/program.ts';

const root = join(import.meta.dir, '..');
const support = (file: string): string => join(import.meta.dir, 'support', file);
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let file: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  file = await buildFile(folder.path, ['--deb']);
}, 240_000);
afterAll(() => folder[Symbol.asyncDispose]());

test('two builds are identical, byte for byte', async () => {
  await using other = await temporaryFolder();
  expect((await readFile(file)).equals(await readFile(await builtFile(other.path)))).toBe(true);
}, 240_000);

const textOf = (...path: string[]): Promise<string> => Bun.file(join(...path)).text();

describe('the systemd unit', () => {
  test('is accepted by systemd, and confines the service', async () => {
    const unit = join(folder.path, 'linnet.service');
    await Bun.write(unit, (await textOf(root, 'deploy', 'linnet.service')).replace('/usr/bin/linnet', file));
    const verified = toolOutput(['systemd-analyze', 'verify', unit]);
    if (verified === null) return reportSkipped('systemd-analyze');
    expect(verified).toEqual({ code: 0, output: '' });
    const rated = toolOutput(['systemd-analyze', 'security', '--offline=true', '--threshold=30', unit]);
    // systemd before 250 can't rate a unit that isn't loaded.
    if (/unrecognized option/.test(rated?.output ?? ''))
      return reportSkipped('systemd-analyze security --offline');
    expect(rated?.output).toMatch(/Overall exposure level for linnet\.service: [12]\.\d OK/);
    expect(rated?.code).toBe(0);
  });

  test('is installed by the file, which copies itself and keeps existing settings', async () => {
    const machineRoot = join(folder.path, 'machine');
    const install = (...words: string[]) =>
      resultOf(runFile([file, 'service', 'install', ...words, '--root', machineRoot], {}, folder.path));
    expect(await install('links.example.com')).toEqual([0, expect.stringContaining('systemctl enable'), '']);
    const unit = await textOf(machineRoot, 'etc/systemd/system/linnet.service');
    expect(unit).toContain('\nExecStart=/usr/local/bin/linnet serve\n');
    expect(toolOutput([join(machineRoot, 'usr/local/bin/linnet'), 'version'])?.output).toStartWith(
      `Linnet ${version}`,
    );
    const [, secondTime] = await install('links.example.com');
    expect(secondTime).toStartWith(
      'Written: /usr/local/bin/linnet and /etc/systemd/system/linnet.service.\n',
    );
    expect(secondTime).toContain('systemctl daemon-reload && systemctl restart linnet\n');
    const settings = join(machineRoot, 'etc/linnet/linnet.env');
    expect(await textOf(settings)).toContain('\nBASE_URL=https://links.example.com\n');
    expect((await stat(settings)).mode & 0o777).toBe(0o600);
    await Bun.write(settings, 'PORT=4000\n');
    expect(await install()).toEqual([
      0,
      expect.stringContaining('linnet.env was there, and is as it was.\n'),
      '',
    ]);
    expect((await install('links.example.com'))[1]).toContain(
      'is as it was. For this host it needs BASE_URL=https://links.example.com and HTTPS=auto.\n',
    );
    expect(await textOf(settings)).toBe('PORT=4000\n');
  });

  test('is kept if an operator has changed it, with the new one beside it', async () => {
    const machineRoot = join(folder.path, 'changed-unit');
    const install = () =>
      resultOf(runFile([file, 'service', 'install', '--root', machineRoot], {}, folder.path));
    await install();
    const path = join(machineRoot, 'etc/systemd/system/linnet.service');
    const unit = await textOf(path);
    const changed = unit.replace('# RuntimeDirectory=linnet', 'RuntimeDirectory=linnet');
    await Bun.write(path, changed);
    expect(await install()).toEqual([
      0,
      expect.stringContaining('/linnet.service is not the unit of this version, and is as it was.'),
      '',
    ]);
    expect(await textOf(path)).toBe(changed);
    expect(await textOf(`${path}.new`)).toBe(unit);
    await Bun.write(path, unit);
    await install();
    expect(await Bun.file(`${path}.new`).exists()).toBe(false);
  });

  test.each([
    ['bücher.example', 'https://xn--bcher-kva.example'],
    ['links.example.com:8443', 'https://links.example.com:8443'],
  ])('is installed for each host that serve takes: %s', async (host, baseUrl) => {
    const machineRoot = join(folder.path, host);
    const words = ['service', 'install', host, '--root', machineRoot];
    expect((await resultOf(runFile([file, ...words], {}, folder.path)))[0]).toBe(0);
    expect(await textOf(machineRoot, 'etc/linnet/linnet.env')).toContain(
      `\nBASE_URL=${baseUrl}\nHTTPS=auto\n`,
    );
  });

  test('is not installed by a user without the rights, who is told the command for root', async () => {
    const machineRoot = join(folder.path, 'of-root');
    await mkdir(machineRoot, { mode: 0o500 });
    const rights = '-chown,-dac_override,-dac_read_search,-fowner';
    const drop = ['setpriv', `--bounding-set=${rights}`, `--inh-caps=${rights}`];
    if (process.getuid?.() === 0) await chown(machineRoot, 65_534, 65_534);
    const words = [
      ...(process.getuid?.() === 0 ? drop : []),
      file,
      'service',
      'install',
      'links.example.com',
    ];
    expect(await resultOf(runFile([...words, '--root', machineRoot], {}, folder.path))).toEqual([
      1,
      '',
      expect.stringMatching(
        /^EACCES: .* Run it as root: sudo .*linnet-\S+ service install links\.example\.com\n$/,
      ),
    ]);
  });

  test.each([
    ['not a host', /^"not a host" is no host\. /],
    ['192.0.2.1', /no authority gives a certificate for 192\.0\.2\.1/],
  ])('is not installed for a host that serve refuses: %s', async (host, message) => {
    const words = ['service', 'install', host, '--root', join(folder.path, 'refused')];
    expect(await resultOf(runFile([file, ...words], {}, folder.path))).toEqual([
      1,
      '',
      expect.stringMatching(message),
    ]);
  });
});

const installsPackages = () => process.getuid?.() === 0 && toolOutput(['dpkg', '--version']) !== null;

test('the Debian package has the file, the unit and settings readable only by root, and its program runs', () => {
  if (toolOutput(['dpkg-deb', '--version']) === null) return reportSkipped('dpkg-deb');
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const deb = join(folder.path, `linnet_${version}_${architecture}.deb`);
  const listed = toolOutput(['dpkg-deb', '--contents', deb])?.output ?? '';
  expect(listed).toMatch(/^-rwxr-xr-x root\/root .* \.\/usr\/bin\/linnet$/m);
  expect(listed).toMatch(/^-rw-r--r-- root\/root .* \.\/lib\/systemd\/system\/linnet\.service$/m);
  expect(listed).toMatch(/^-rw------- root\/root .* \.\/etc\/linnet\/linnet\.env$/m);
  // The next test runs it.
  if (installsPackages()) return;
  const unpacked = join(folder.path, 'debian');
  expect(toolOutput(['dpkg-deb', '--extract', deb, unpacked])).toEqual({ code: 0, output: '' });
  expect(toolOutput([join(unpacked, 'usr/bin/linnet'), 'version'])?.output).toStartWith(`Linnet ${version}`);
}, 240_000);

test('dpkg installs the Debian package, keeps changed settings at an upgrade and a removal, and purges all', async () => {
  if (!installsPackages()) return reportSkipped('dpkg as root');
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const deb = join(folder.path, `linnet_${version}_${architecture}.deb`);
  const installed = join(folder.path, 'installed');
  await mkdir(join(installed, 'var/lib/dpkg/info'), { recursive: true });
  await mkdir(join(installed, 'var/lib/dpkg/updates'));
  await Bun.write(join(installed, 'var/lib/dpkg/status'), '');
  // This root has nothing else in it: no C library, and no shell for the scripts.
  const forced = ['--force-script-chrootless', '--force-depends'];
  const dpkg = (...words: string[]) => toolOutput(['dpkg', `--root=${installed}`, ...forced, ...words])?.code;
  expect(dpkg('--install', deb)).toBe(0);
  expect(toolOutput([join(installed, 'usr/bin/linnet'), 'version'])?.output).toStartWith(`Linnet ${version}`);
  const settings = join(installed, 'etc/linnet/linnet.env');
  expect((await stat(settings)).mode & 0o777).toBe(0o600);
  await Bun.write(settings, 'BASE_URL=https://links.example.com\n');
  expect(dpkg('--install', deb)).toBe(0);
  expect(dpkg('--remove', 'linnet')).toBe(0);
  expect(await Bun.file(join(installed, 'usr/bin/linnet')).exists()).toBe(false);
  expect(await Bun.file(settings).text()).toBe('BASE_URL=https://links.example.com\n');
  expect(dpkg('--purge', 'linnet')).toBe(0);
  expect(await Bun.file(settings).exists()).toBe(false);
}, 240_000);

let imageRoot: string | undefined;
/** The root folder of the image, which is made once. */
function rootOfImage(): string {
  if (imageRoot !== undefined) return imageRoot;
  const image = join(folder.path, 'image');
  expect(toolOutput([join(root, 'deploy/image-root.sh'), file, image])).toEqual({ code: 0, output: '' });
  imageRoot = image;
  return image;
}

test('the compressed image is smaller than 70 MB', async () => {
  const image = rootOfImage();
  let [whole, compressed] = [0, 0];
  for (const path of new Bun.Glob('**').scanSync({ cwd: image, absolute: true, onlyFiles: true })) {
    const content = await readFile(path);
    whole += content.length;
    // About as small as the gzip of registries, with a fifth of the CPU time.
    compressed += Bun.zstdCompressSync(content, { level: 2 }).length;
  }
  expect(whole).toBeGreaterThan((await stat(file)).size);
  expect(compressed).toBeLessThan(70e6);
}, 240_000);

test('the image runs with a read-only root, passes its health check, and stops at SIGTERM', async () => {
  const image = rootOfImage();
  const inImage = [support('in-image.sh'), image, join(folder.path, 'volume')];
  if (toolOutput([...inImage, 'version'])?.code !== 0) return reportSkipped('unshare, mount, chroot');
  using port = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const PORT = String(port.port);
  port.stop(true);
  const settings = { DATA_DIR: '/data', HOST: '0.0.0.0', PORT, LOG_LEVEL: 'warn' };
  const health = (...words: string[]) =>
    resultOf(runFile([...inImage, 'healthcheck', ...words], settings, folder.path));
  expect(await health()).toEqual([1, '', `http://127.0.0.1:${PORT}/healthz: nothing answers\n`]);
  const program = runFile([...inImage, 'serve'], settings, folder.path);
  await program.address();
  await eventually(async () => (await health())[0] === 0, 'the image to be healthy');
  expect(await health('--ready')).toEqual([0, `http://127.0.0.1:${PORT}/readyz: ok\n`, '']);
  await stop(program);
  expect(problemsOf(program)).toEqual([]);
}, 240_000);
