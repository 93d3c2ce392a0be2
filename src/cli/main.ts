import { parseArgs } from 'node:util';
import { siteOf } from '../compose/base-url.ts';
import { contextOf } from '../compose/context.ts';
import { ConfigProblem, loadConfig } from '../config/load.ts';
import { Refusal } from '../rules/errors.ts';
import { StartProblem } from '../start-problem.ts';
import { openStore } from '../store.ts';
import { Log } from '../telemetry/log.ts';
import { lowerPriority } from '../threads/lower-priority.ts';
import { forgetBaseUrl, setBaseUrl } from './base-url.ts';
import type { Command } from './command.ts';
import { createKey } from './create-key.ts';
import { createUser } from './create-user.ts';
import { importLinks } from './import-links.ts';
import { replaceSecret } from './replace-secret.ts';
import { setPassword } from './set-password.ts';
import { showSetupToken } from './setup-token.ts';

const commands: readonly Command[] = [
  showSetupToken,
  createUser,
  setPassword,
  createKey,
  importLinks,
  setBaseUrl,
  forgetBaseUrl,
  replaceSecret,
];

const [noun, verb, ...rest] = process.argv.slice(2);
const command = commands.find(({ name }) => name === `${noun} ${verb}`);

if (!command) {
  const isHelp = noun === undefined || noun === 'help' || noun === '--help';
  process[isHelp ? 'stdout' : 'stderr'].write(usage());
  process.exit(isHelp ? 0 : 2);
}

try {
  const { values } = parseArgs({ args: rest, options: command.options, strict: true });
  await runCommand(command, values as Record<string, string | undefined>);
} catch (cause) {
  const { code, message } = cause as { code?: string; message: string };
  const isUsage = code?.startsWith('ERR_PARSE_ARGS') ?? false;
  const isForeseen = isUsage || [ConfigProblem, StartProblem, Refusal].some((kind) => cause instanceof kind);
  process.stderr.write(`${isForeseen ? message : `This failed: ${message}`}\n${isUsage ? usage() : ''}`);
  process.exit(1);
}

async function runCommand({ run }: Command, values: Record<string, string | undefined>): Promise<void> {
  // Beside a server that answers visitors they come first, whatever is done here.
  lowerPriority();
  const config = loadConfig(process.env);
  const store = await openStore(
    config,
    new Log('error'),
    run === replaceSecret.run ? 'replace_key' : 'require_key',
  );
  try {
    const site = await siteOf(config, store.database, config.port);
    process.stdout.write(await run(contextOf(config, site, store.database, store.secrets), values));
  } finally {
    await store.database.close();
  }
}

function usage(): string {
  return `Usage: npm run linnet -- COMMAND\n\n${commands.map(({ usage }) => `  ${usage}\n`).join('')}`;
}
