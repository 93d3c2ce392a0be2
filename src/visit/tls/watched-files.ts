import { statSync } from 'node:fs';
import { type CertificateFiles, readCertificate } from './certificate-files.ts';
import type { CertificatePair } from './secure-context.ts';

interface WatchParts {
  readonly now: () => number;
  readonly onChange: (pair: CertificatePair) => void;
  /** Called once for each problem of the files: the previous certificate stays in use until they can be used. */
  readonly onProblem: (problem: string) => void;
  readonly interval?: number;
}

const defaultInterval = 2_000;

/**
 * Checks the files at intervals, because certbot and Kubernetes replace them by moving symbolic links. Files that can't be used are
 * read again at each check: a change of permissions, or a certificate that becomes valid, doesn't show in their state. Returns a
 * function that stops it.
 */
export function watchCertificate(
  files: CertificateFiles,
  { now, onChange, onProblem, interval = defaultInterval }: WatchParts,
): () => void {
  let usedState = stateOf(files);
  let lastProblem = '';
  let reportedProblem = '';
  const check = () => {
    const state = stateOf(files);
    if (state === usedState) return;
    try {
      onChange(readCertificate(files, now()));
      usedState = state;
    } catch (cause) {
      const { message } = cause as Error;
      const problem = `${state} ${message}`;
      // One of the two files is written first: a problem is reported only if it is still there at the next check.
      if (problem === lastProblem && problem !== reportedProblem) {
        reportedProblem = problem;
        onProblem(message);
      }
      lastProblem = problem;
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
