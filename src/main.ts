/** The entry point: the server, or a command. Each loads only what it needs, so that a small command is quick. */
import { restartWithEnvironment } from './bundle/start-environment.ts';

const args = process.argv.slice(2);

if (args[0] === 'serve' && !args.some((word) => word === '--help' || word === '-h')) {
  restartWithEnvironment(process.env);
  const { serve } = await import('./serve.ts');
  await serve(args.slice(1), process.env);
} else {
  const { runCommand } = await import('./cli/run-command.ts');
  process.exitCode = await runCommand(args, process.env);
}
