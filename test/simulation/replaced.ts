/** Imported first: replaces file locks and webhook calls by simulated ones. */
import { plugin } from 'bun';

const replacements = [
  [/storage\/file-lock\.ts$/, 'export const lockFile = (path) => globalThis.simulation.lockFile(path);'],
  [
    /webhooks\/guarded-request\.ts$/,
    'export const guardedRequest = (target, outgoing) => globalThis.simulation.post(target, outgoing);',
  ],
] as const;

plugin({
  name: 'simulation',
  setup(build) {
    for (const [filter, contents] of replacements)
      build.onLoad({ filter }, () => ({ contents, loader: 'ts' }));
  },
});
