import startEnvironment from '../../scripts/start-environment.json' with { type: 'json' };
import { contents } from './contents.ts';

/**
 * The runtime reads some variables as it starts, before any module. `npm start` sets them; the single-file program replaces
 * itself once, in the same process.
 */
export function restartWithEnvironment(environment: Readonly<Record<string, string | undefined>>): void {
  const isSet = Object.keys(startEnvironment).every((name) => environment[name] !== undefined);
  if (contents === null || isSet || process.execve === undefined || process.platform === 'win32') return;
  try {
    process.execve(process.execPath, [process.execPath, ...process.argv.slice(2)], {
      ...startEnvironment,
      ...environment,
    });
  } catch {
    // If that isn't allowed, the server works with the runtime's own settings.
  }
}
