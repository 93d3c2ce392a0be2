declare module '*.svg' {
  const url: string;
  export default url;
}

/** What people type in a shell before the words of a command; the bundler inserts it. */
declare const COMMAND_PREFIX: string;
