import { chmodSync, lstatSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dir, '..', '..');
const cache = join(root, 'node_modules', '.cache');

let program: Promise<string> | undefined;

/**
 * The package's browser, unpacked within this checkout. By default the package unpacks to one folder for the whole
 * machine, which belongs to the first user, and where a second run finds half a browser while the first is still
 * unpacking.
 */
export function chromiumPath(): Promise<string> {
  program ??= findOrUnpack();
  return program;
}

async function findOrUnpack(): Promise<string> {
  const packageFile = join(root, 'node_modules', '@sparticuz', 'chromium', 'package.json');
  const { version } = (await Bun.file(packageFile).json()) as { version: string };
  const { uid } = userInfo();
  const inCheckout = join(cache, `chromium-${version}`);
  if (isFolder(inCheckout)) return join(inCheckout, 'chromium');
  // If the checkout belongs to another user, the browser is unpacked once for this user.
  const ownFolder = join(tmpdir(), `linnet-chromium-${version}-of-${uid}`);
  if (isFolder(ownFolder, uid)) return join(ownFolder, 'chromium');
  const [folder, unpacked] = await mkdir(cache, { recursive: true })
    .then(() => mkdtemp(`${inCheckout}-`))
    .then(
      (made) => [inCheckout, made] as const,
      async () => [ownFolder, await mkdtemp(`${ownFolder}-`)] as const,
    );
  try {
    await unpackTo(unpacked);
    await rename(unpacked, folder).catch((cause) => {
      // Another run may have unpacked it meanwhile.
      if (!isFolder(folder, uid)) throw cause;
    });
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
  return join(folder, 'chromium');
}

function isFolder(path: string, owner?: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (owner === undefined || found.uid === owner);
}

async function unpackTo(folder: string): Promise<void> {
  // The package unpacks to the temporary folder of its process, so it runs in a process of its own.
  const script = "await (await import('@sparticuz/chromium')).default.executablePath();";
  const child = Bun.spawn([process.execPath, '-e', script], {
    cwd: root,
    env: { ...process.env, TMPDIR: folder },
    stdout: 'inherit',
    stderr: 'inherit',
  });
  if ((await child.exited) !== 0) throw new Error('Chromium could not be unpacked');
  for (const file of [folder, join(folder, 'chromium')]) chmodSync(file, 0o755);
}
