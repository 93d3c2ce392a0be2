import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

const taken: number[] = [];

/** Takes all free file descriptors of this process. */
export function takeDescriptors(): void {
  try {
    for (;;) taken.push(openSync(devNull, 'r'));
  } catch {
    // None is left.
  }
}

export function releaseDescriptors(): void {
  for (const descriptor of taken.splice(0)) closeSync(descriptor);
}
