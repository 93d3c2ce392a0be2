import { spyOn } from 'bun:test';
import type { StandaloneCommand } from '../../src/cli/command.ts';

/**
 * Runs a command without a process of its own, one at a time: for what a test needs of it, where it isn't about the process. Returns
 * what it printed; throws why it failed.
 */
export async function runHere(
  command: StandaloneCommand,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  values: Readonly<Record<string, boolean>> = {},
): Promise<string> {
  let printed = '';
  const spies = [process.stdout, process.stderr].map((stream) =>
    spyOn(stream, 'write').mockImplementation((text) => {
      printed += text;
      return true;
    }),
  );
  try {
    const code = await command.run({ environment, values, words });
    if (code !== 0) throw new Error(`exit code ${code}: ${printed}`);
    return printed;
  } catch (cause) {
    // If the store could not be closed either, what the command failed for is thrown.
    throw cause instanceof SuppressedError ? cause.suppressed : cause;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
