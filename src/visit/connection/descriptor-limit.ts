import { readFileSync, statSync } from 'node:fs';

/** The limit assumed on systems that don't report one. */
const assumedLimit = 1_024;

/** How many files and sockets this process may have open. The runtime raises the soft limit to the hard one as it starts. */
export function descriptorLimit(): number {
  return limitOf(fromProc()) ?? limitOf(fromShell()) ?? assumedLimit;
}

/** The number of open descriptors; null where no single system call reports it: only Linux 6.2 and later do. */
export function openDescriptors(): number | null {
  try {
    const { size } = statSync('/proc/self/fd');
    return size > 0 ? size : null;
  } catch {
    return null;
  }
}

function fromProc(): string | undefined {
  try {
    return /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** A child process inherits its parent's limits. */
function fromShell(): string | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    return Bun.spawnSync(['sh', '-c', 'ulimit -n']).stdout.toString().trim();
  } catch {
    return undefined;
  }
}

function limitOf(text: string | undefined): number | null {
  if (text === 'unlimited') return Number.MAX_SAFE_INTEGER;
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}
