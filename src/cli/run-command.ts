import { parseArgs } from 'node:util';
import { BackupProblem } from '../backup/backup-stream.ts';
import { shellCommand } from '../bundle/shell-command.ts';
import { siteOf } from '../compose/base-url.ts';
import { contextOf } from '../compose/context.ts';
import type { Environment } from '../compose/visitor-thread-protocol.ts';
import { ConfigProblem, loadConfig } from '../config/load.ts';
import { Refusal } from '../rules/errors.ts';
import { StartProblem } from '../start-problem.ts';
import { openStore } from '../store.ts';
import { Log } from '../telemetry/log.ts';
import { lowerPriority } from '../threads/lower-priority.ts';
import { backup } from './backup.ts';
import { forgetBaseUrl, setBaseUrl } from './base-url.ts';
import { clicks } from './clicks.ts';
import type { Command, StandaloneCall, StandaloneCommand } from './command.ts';
import { createKey } from './create-key.ts';
import { createUser } from './create-user.ts';
import { doctor } from './doctor.ts';
import { fold } from './fold.ts';
import { healthcheck } from './healthcheck.ts';
import { importLinks } from './import-links.ts';
import { nodes } from './nodes.ts';
import { replaceSecret } from './replace-secret.ts';
import { requireStore } from './require-store.ts';
import { restoreBackup } from './restore-backup.ts';
import { service } from './service.ts';
import { setPassword } from './set-password.ts';
import { showSetupToken } from './setup-token.ts';
import { upgrade } from './upgrade.ts';
import { showVersion } from './version.ts';

const commands: readonly Command[] = [
  showSetupToken,
  createUser,
  setPassword,
  createKey,
  importLinks,
  setBaseUrl,
  forgetBaseUrl,
];

/** These open what they need themselves. */
const standalone: readonly StandaloneCommand[] = [
  backup,
  restoreBackup,
  replaceSecret,
  fold,
  clicks,
  nodes,
  upgrade,
  doctor,
  service,
  healthcheck,
  showVersion,
];

const serveUsage =
  'serve [HOST]   (starts the server; with a host such as links.example.com over HTTPS, with a certificate that it obtains itself)';

const isHelpOption = (word: string): boolean => word === '--help' || word === '-h';

/** Runs the command line, and returns the exit code. */
export async function runCommand(args: readonly string[], environment: Environment): Promise<number> {
  const [noun, verb, ...rest] = args;
  const standaloneCommand = standalone.find(({ name }) => name === noun?.replace(/^--(?=version$)/, ''));
  const command = commands.find(({ name }) => name === `${noun} ${verb}`);
  const usage = noun === 'serve' ? serveUsage : (command ?? standaloneCommand)?.usage;
  if (noun === undefined || noun === 'help' || args.some(isHelpOption)) {
    process.stdout.write(usage === undefined ? usageOfAll() : usageOf(usage));
    return 0;
  }
  if (!command && !standaloneCommand) {
    const words = verb === undefined || verb.startsWith('-') ? noun : `${noun} ${verb}`;
    process.stderr.write(`There is no command "${words}".\n\n${usageOfAll()}`);
    return 2;
  }
  try {
    if (standaloneCommand) return await runStandalone(standaloneCommand, args.slice(1), environment);
    if (command) {
      const { values } = parseArgs({ args: rest, options: command.options, strict: true });
      return await runOnStore(command, values as Record<string, string | undefined>, environment);
    }
    return 0;
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    const isUsage = code?.startsWith('ERR_PARSE_ARGS') ?? false;
    const isForeseen =
      isUsage || [ConfigProblem, StartProblem, Refusal, BackupProblem].some((kind) => cause instanceof kind);
    process.stderr.write(
      `${isForeseen ? message : `This failed: ${message}`}\n${isUsage ? usageOf(usage ?? '') : ''}`,
    );
    return 1;
  }
}

async function runOnStore(
  { run, needsStore }: Command,
  values: Record<string, string | undefined>,
  environment: Environment,
): Promise<number> {
  // A server on the same machine takes precedence, whatever is done here.
  lowerPriority();
  const config = loadConfig(environment);
  if (needsStore) requireStore(config);
  const store = await openStore(config, new Log('error'));
  try {
    const site = await siteOf(config, store.database, config.port);
    const result = await run(contextOf(config, site, store.database, store.secrets), values);
    const { output, exitCode } = typeof result === 'string' ? { output: result, exitCode: 0 } : result;
    process.stdout.write(output);
    return exitCode;
  } finally {
    await store.database.close();
  }
}

async function runStandalone(
  { options, run }: StandaloneCommand,
  args: readonly string[],
  environment: Environment,
): Promise<number> {
  lowerPriority();
  const { values, positionals } = parseArgs({
    args: [...args],
    options,
    strict: true,
    allowPositionals: true,
  });
  return run({ environment, values: values as StandaloneCall['values'], words: positionals });
}

const usageOf = (usage: string): string => `Usage: ${shellCommand(usage)}\n`;

function usageOfAll(): string {
  const lines = [serveUsage, ...[...commands, ...standalone].map(({ usage }) => usage)];
  return `Linnet: short links that stay yours.\n\nUsage: ${shellCommand('COMMAND')}\n\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
