import { closeSync, fsyncSync, openSync, statfsSync, writeSync } from 'node:fs';
import { arch, cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from './exit-cleanup.ts';
import { figure } from './figures.ts';

const tmpfs = 0x01021994;

/** Facts about the machine that the results depend on. */
export function machineFacts() {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    architecture: arch(),
    memory_gib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    bun: Bun.version,
    load_before: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    temporary_files: isInMemory() ? 'in memory: nothing waits for a disk' : 'on a disk',
    fsync_ms: Math.round(fsyncTime() * 1000) / 1000,
  };
}

function isInMemory(): boolean {
  return process.platform === 'linux' && statfsSync(tmpdir()).type === tmpfs;
}

/** Milliseconds of an fsync of one page: on SQLite each batch of creations waits for one. */
function fsyncTime(): number {
  using folder = temporaryFolder();
  const file = openSync(join(folder.path, 'page'), 'w');
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 50 }, () => {
    const startedAt = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return figure(times).median;
}
