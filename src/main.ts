/** The entry point: the server, or a command. Each loads only what it needs, so that a small command is quick. */
import { restartWithEnvironment } from './bundle/start-environment.ts';

const args = process.argv.slice(2);

if (args[0] === 'serve' && !args.some((word) => word === '--help' || word === '-h')) {
  restartWithEnvironment(process.env);
  const { serve } = await import('./serve.ts');
  await serve(args.slice(1), process.env);
} else {
  const { runCommand } = await import('./cli/run-command.ts');
  let outputError: Error | null = null;
  // A full disk, or a reader such as `head` that has ended. The command goes on. With `-` it reads or writes a descriptor itself, and
  // a pipe becomes non-blocking by the first use of `process.stdout`.
  if (!args.includes('-'))
    process.stdout.on('error', (cause) => {
      if (outputError !== null) return;
      outputError = cause;
      process.stderr.write(`What this command prints can't be written and is lost: ${cause.message}.\n`);
      process.exitCode = 1;
    });
  const exitCode = await runCommand(args, process.env);
  process.exitCode = outputError === null ? exitCode : 1;
}
