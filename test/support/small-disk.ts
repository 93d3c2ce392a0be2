import { existsSync } from 'node:fs';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { eventually } from './eventually.ts';
import { temporaryFolder } from './program.ts';

/** A disk of its own, which can be full, and read-only from one moment to the next. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Nothing more fits. */
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
  /** As the system does after a fault of the disk: under the files that are open. */
  becomeReadOnly(): Promise<void>;
  /** It can be written to again. No file may be open. */
  mountAgain(): Promise<void>;
}

const megabytes = 96;

async function run(...command: string[]): Promise<{ isDone: boolean; out: string }> {
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' });
  const out = await new Response(child.stdout).text();
  return { isDone: (await child.exited) === 0, out: out.trim() };
}

async function must(...command: string[]): Promise<string> {
  const { isDone, out } = await run(...command);
  if (!isDone) throw new Error(`failed: ${command.join(' ')}`);
  return out;
}

/** A file that is mounted as ext4. Null where that may not be done, or where the system has no way to break it. */
export async function smallDisk(): Promise<SmallDisk | null> {
  if (process.getuid?.() !== 0 || !existsSync('/dev/loop-control') || !Bun.which('mkfs.ext4')) return null;
  const folder = await temporaryFolder();
  const image = join(folder.path, 'image');
  const path = join(folder.path, 'disk');
  await writeFile(image, '');
  await truncate(image, megabytes * 1024 * 1024);
  await must('mkfs.ext4', '-q', '-m', '0', '-E', 'lazy_itable_init=0', image);
  await mkdir(path);
  const mount = () => run('mount', '-o', 'loop,errors=remount-ro', image, path);
  const unmount = () => run('umount', path);
  const dispose = async () => {
    if (!(await unmount()).isDone) await run('umount', '-l', path);
    await folder[Symbol.asyncDispose]();
  };
  const isMounted = (await mount()).isDone;
  const device = isMounted ? basename(await must('findmnt', '-no', 'SOURCE', path)) : '';
  const breaker = `/sys/fs/ext4/${device}/trigger_fs_error`;
  if (!isMounted || !existsSync(breaker)) {
    await dispose();
    return null;
  }
  const filling = join(path, 'filling');
  return {
    path,
    async fill() {
      // In ever smaller pieces, until not even the smallest fits.
      for (const block of ['1M', '64k', '4k'])
        await run('dd', 'if=/dev/zero', `of=${filling}-${block}`, `bs=${block}`);
    },
    async makeRoom() {
      for (const block of ['1M', '64k', '4k']) await rm(`${filling}-${block}`, { force: true });
    },
    becomeReadOnly: () => writeFile(breaker, '1'),
    async mountAgain() {
      await must('umount', path);
      // Programs that other tests started in a mount namespace of their own have it until they end.
      await eventually(() => !existsSync(breaker), 'the end of the mount');
      await run('e2fsck', '-fy', image);
      await must('mount', '-o', 'loop,errors=remount-ro', image, path);
    },
    [Symbol.asyncDispose]: dispose,
  };
}
