import { parseArgs } from 'node:util';
import { BackupProblem } from '../backup/backup-stream.ts';
import { siteOf } from '../compose/base-url.ts';
import { contextOf } from '../compose/context.ts';
import { ConfigProblem, loadConfig } from '../config/load.ts';
import { Refusal } from '../rules/errors.ts';
import { StartProblem } from '../start-problem.ts';
import { openStore } from '../store.ts';
import { Log } from '../telemetry/log.ts';
import { lowerPriority } from '../threads/lower-priority.ts';
import { backup } from './backup.ts';
import { forgetBaseUrl, setBaseUrl } from './base-url.ts';
import type { Command, StandaloneCall, StandaloneCommand } from './command.ts';
import { createKey } from './create-key.ts';
import { createUser } from './create-user.ts';
import { importLinks } from './import-links.ts';
import { replaceSecret } from './replace-secret.ts';
import { restoreBackup } from './restore-backup.ts';
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

const standalone: readonly StandaloneCommand[] = [backup, restoreBackup];

const [noun, verb, ...rest] = process.argv.slice(2);
const command = commands.find(({ name }) => name === `${noun} ${verb}`);
const alone = standalone.find(({ name }) => name === noun);

if (!command && !alone) {
  const isHelp = noun === undefined || noun === 'help' || noun === '--help';
  process[isHelp ? 'stdout' : 'stderr'].write(usage());
  process.exit(isHelp ? 0 : 2);
}

try {
  if (alone) process.exitCode = await runAlone(alone, process.argv.slice(3));
  else if (command) {
    const { values } = parseArgs({ args: rest, options: command.options, strict: true });
    await runCommand(command, values as Record<string, string | undefined>);
  }
} catch (cause) {
  const { code, message } = cause as { code?: string; message: string };
  const isUsage = code?.startsWith('ERR_PARSE_ARGS') ?? false;
  const isForeseen =
    isUsage || [ConfigProblem, StartProblem, Refusal, BackupProblem].some((kind) => cause instanceof kind);
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

async function runAlone({ options, run }: StandaloneCommand, args: readonly string[]): Promise<number> {
  lowerPriority();
  const { values, positionals } = parseArgs({
    args: [...args],
    options,
    strict: true,
    allowPositionals: true,
  });
  return run({ environment: process.env, values: values as StandaloneCall['values'], words: positionals });
}

function usage(): string {
  return `Usage: npm run linnet -- COMMAND\n\n${[...commands, ...standalone].map(({ usage }) => `  ${usage}\n`).join('')}`;
}
