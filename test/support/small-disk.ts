import { existsSync } from 'node:fs';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { eventually } from './eventually.ts';
import { temporaryFolder } from './program.ts';

/** A file system of its own that can be filled, or made read-only at any moment. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Fills it completely. */
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
  /** Like the kernel after a disk error: even files that are open become read-only. */
  becomeReadOnly(): Promise<void>;
  /** Makes it writable again. No file on it may be open. */
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

/** A file mounted as ext4. Null without the right to mount, or where the kernel can't simulate a disk error. */
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
      // In ever smaller blocks, until not even the smallest fits.
      for (const block of ['1M', '64k', '4k'])
        await run('dd', 'if=/dev/zero', `of=${filling}-${block}`, `bs=${block}`);
    },
    async makeRoom() {
      for (const block of ['1M', '64k', '4k']) await rm(`${filling}-${block}`, { force: true });
    },
    becomeReadOnly: () => writeFile(breaker, '1'),
    async mountAgain() {
      await must('umount', path);
      // Programs started by other tests in their own mount namespaces keep it mounted until they exit.
      await eventually(() => !existsSync(breaker), 'the end of the mount');
      await run('e2fsck', '-fy', image);
      await must('mount', '-o', 'loop,errors=remount-ro', image, path);
    },
    [Symbol.asyncDispose]: dispose,
  };
}
