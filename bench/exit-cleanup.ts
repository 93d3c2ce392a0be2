import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subprocess } from 'bun';

const folders = new Set<string>();
const children = new Set<Subprocess>();

/** However the bench ends, no processes and no files are left. */
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) remove(folder);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

export function temporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'linnet-bench-'));
  folders.add(path);
  return {
    path,
    [Symbol.dispose]() {
      remove(path);
      folders.delete(path);
    },
  };
}

export function killOnExit(child: Subprocess): void {
  children.add(child);
  void child.exited.then(() => children.delete(child));
}

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
