import { contents } from './contents.ts';

/** What people type before a command's words, depending on how this program was started. */
export const commandPrefix =
  contents !== null
    ? 'linnet'
    : import.meta.url.includes('/node_modules/')
      ? 'npx linnet'
      : 'npm run -s linnet --';

/** A command as it can be pasted into a shell. */
export const shellCommand = (words: string): string => `${commandPrefix} ${words}`;
