import { statSync } from 'node:fs';
import { type CertificateFiles, readCertificate } from './certificate-files.ts';
import type { CertificatePair } from './secure-context.ts';

interface WatchParts {
  readonly now: () => number;
  readonly onChange: (pair: CertificatePair) => void;
  /** Called once for each state of the files that can't be used: the certificate from before goes on. */
  readonly onProblem: (problem: string) => void;
  readonly interval?: number;
}

const defaultInterval = 2_000;

/**
 * Looks at the files at intervals: links in the way that are turned to other files, as certbot and Kubernetes do it, are
 * seen so too. Returns what stops it.
 */
export function watchCertificate(
  files: CertificateFiles,
  { now, onChange, onProblem, interval = defaultInterval }: WatchParts,
): () => void {
  let known = stateOf(files);
  /** Of two files one is written first: a problem is told once it has stayed until the next look. */
  let doubt: string | null = null;
  const look = () => {
    const state = stateOf(files);
    if (state === known && doubt === null) return;
    const hasStayed = state === doubt;
    known = state;
    doubt = null;
    try {
      onChange(readCertificate(files, now()));
    } catch (cause) {
      if (hasStayed) onProblem((cause as Error).message);
      else doubt = state;
    }
  };
  const timer = setInterval(look, interval);
  timer.unref();
  return () => clearInterval(timer);
}

const stateOf = ({ certificate, key }: CertificateFiles): string => `${facts(certificate)} ${facts(key)}`;

function facts(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino}/${size}/${mtimeMs}`;
  } catch {
    return 'none';
  }
}
