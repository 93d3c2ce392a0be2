import { existsSync } from 'node:fs';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { eventually } from './eventually.ts';
import { temporaryFolder } from './program.ts';

/** A separate file system that can be filled, or made read-only at any moment. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Fills it completely. */
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
  /** Makes it read-only, as the kernel does after a disk error: even open files become read-only. */
  becomeReadOnly(): Promise<void>;
  /** Makes it writable again. No file on it may be open. */
  mountAgain(): Promise<void>;
}

const megabytes = 96;

async function run(...command: string[]): Promise<{ isSuccess: boolean; out: string }> {
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' });
  const out = await new Response(child.stdout).text();
  return { isSuccess: (await child.exited) === 0, out: out.trim() };
}

async function runOrThrow(...command: string[]): Promise<string> {
  const { isSuccess, out } = await run(...command);
  if (!isSuccess) throw new Error(`failed: ${command.join(' ')}`);
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
  await runOrThrow('mkfs.ext4', '-q', '-m', '0', '-E', 'lazy_itable_init=0', image);
  await mkdir(path);
  const mount = () => run('mount', '-o', 'loop,errors=remount-ro', image, path);
  const unmount = () => run('umount', path);
  const dispose = async () => {
    if (!(await unmount()).isSuccess) await run('umount', '-l', path);
    await folder[Symbol.asyncDispose]();
  };
  const isMounted = (await mount()).isSuccess;
  const device = isMounted ? basename(await runOrThrow('findmnt', '-no', 'SOURCE', path)) : '';
  const errorTrigger = `/sys/fs/ext4/${device}/trigger_fs_error`;
  if (!isMounted || !existsSync(errorTrigger)) {
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
    becomeReadOnly: () => writeFile(errorTrigger, '1'),
    async mountAgain() {
      await runOrThrow('umount', path);
      // Programs started by other tests in their own mount namespaces keep it mounted until they exit.
      await eventually(() => !existsSync(errorTrigger), 'the end of the mount');
      await run('e2fsck', '-fy', image);
      await runOrThrow('mount', '-o', 'loop,errors=remount-ro', image, path);
    },
    [Symbol.asyncDispose]: dispose,
  };
}
