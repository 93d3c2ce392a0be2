import { statSync } from 'node:fs';
import { type CertificateFiles, readCertificate } from './certificate-files.ts';
import type { CertificatePair } from './secure-context.ts';

interface WatchParts {
  readonly now: () => number;
  readonly onChange: (pair: CertificatePair) => void;
  /** Called once for each state of the files that can't be used: the previous certificate stays in use. */
  readonly onProblem: (problem: string) => void;
  readonly interval?: number;
}

const defaultInterval = 2_000;

/**
 * Checks the files at intervals, because certbot and Kubernetes replace them by moving symbolic links. Returns a function that
 * stops it.
 */
export function watchCertificate(
  files: CertificateFiles,
  { now, onChange, onProblem, interval = defaultInterval }: WatchParts,
): () => void {
  let known = stateOf(files);
  /** One of the two files is written first: a problem is reported only if it is still there at the next check. */
  let failedState: string | null = null;
  const check = () => {
    const state = stateOf(files);
    if (state === known && failedState === null) return;
    const hasFailedBefore = state === failedState;
    known = state;
    failedState = null;
    try {
      onChange(readCertificate(files, now()));
    } catch (cause) {
      if (hasFailedBefore) onProblem((cause as Error).message);
      else failedState = state;
    }
  };
  const timer = setInterval(check, interval);
  timer.unref();
  return () => clearInterval(timer);
}

const stateOf = ({ certificate, key }: CertificateFiles): string =>
  `${fileState(certificate)} ${fileState(key)}`;

function fileState(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino}/${size}/${mtimeMs}`;
  } catch {
    return 'none';
  }
}
