import { type App, createApp } from './app.ts';
import { ConfigProblem, loadConfig } from './config/load.ts';
import { StartProblem } from './start-problem.ts';

try {
  const app = await createApp(loadConfig(process.env));
  // A terminal sends Ctrl-C to everyone, and who started us passes it on: the second is no reason to break off.
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await app.stop();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  process.stdout.write(greeting(app));
} catch (cause) {
  const isForeseen = cause instanceof ConfigProblem || cause instanceof StartProblem;
  process.stderr.write(
    `${isForeseen ? cause.message : `Linnet could not start: ${(cause as Error).message}`}\n`,
  );
  process.exit(1);
}

function greeting({ url, setupToken }: App): string {
  const lines = [`Linnet listens on ${url}`, ''];
  if (setupToken === null) {
    lines.push(`  The interface is described at ${url}/docs`);
  } else {
    lines.push(
      '  There is no account yet. Make the first one:',
      '',
      `    curl ${url}/api/v1/user -H 'content-type: application/json' \\`,
      `      -d '{"email":"you@example.com","password":"at least 8 characters"}'`,
      '',
      `  From another machine, add "setup_token":"${setupToken}" to the body. It works once.`,
      `  The interface is described at ${url}/docs`,
    );
  }
  return `${lines.join('\n')}\n`;
}
