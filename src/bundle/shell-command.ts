import { contents } from './contents.ts';

/** What people type before the words of a command, where this program was started from. */
export const commandPrefix =
  contents !== null
    ? 'linnet'
    : import.meta.url.includes('/node_modules/')
      ? 'npx linnet'
      : 'npm run -s linnet --';

/** A command as it can be pasted into a shell. */
export const shellCommand = (words: string): string => `${commandPrefix} ${words}`;
