import { parseArgs } from 'node:util';
import { BackupProblem } from '../backup/backup-stream.ts';
import { shellCommand } from '../bundle/shell-command.ts';
import { siteOf } from '../compose/base-url.ts';
import { contextOf } from '../compose/context.ts';
import { ConfigProblem, type Environment, loadConfig } from '../config/load.ts';
import { Refusal } from '../rules/errors.ts';
import { StartProblem } from '../start-problem.ts';
import { openStore } from '../store.ts';
import { Log } from '../telemetry/log.ts';
import { lowerPriority } from '../threads/lower-priority.ts';
import { backup } from './backup.ts';
import { forgetBaseUrl, setBaseUrl } from './base-url.ts';
import { clicks } from './clicks.ts';
import type { Command, CommandValues, StandaloneCall, StandaloneCommand } from './command.ts';
import { createKey } from './create-key.ts';
import { doctor } from './doctor.ts';
import { fold } from './fold.ts';
import { healthcheck } from './healthcheck.ts';
import { importLinks } from './import-links.ts';
import { nodes } from './nodes.ts';
import { replaceSecret } from './replace-secret.ts';
import { newStoreNotice, requireStore } from './require-store.ts';
import { restoreBackup } from './restore-backup.ts';
import { service } from './service.ts';
import { showSetupToken } from './setup-token.ts';
import { upgrade } from './upgrade.ts';
import { createUser, setPassword } from './user.ts';
import { showVersion } from './version.ts';

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

const commands: readonly StandaloneCommand[] = [
  ...[showSetupToken, createUser, setPassword, createKey, importLinks, setBaseUrl, forgetBaseUrl].map(
    onStore,
  ),
  ...standalone,
];

const serveUsage =
  'serve [HOST]   (starts the server; with a host such as links.example.com over HTTPS, with a certificate that it obtains itself)';

const isHelpOption = (word: string): boolean => word === '--help' || word === '-h';

/** Runs the command line, and returns the exit code. */
export async function runCommand(args: readonly string[], environment: Environment): Promise<number> {
  const [noun, verb] = args;
  const words = [noun?.replace(/^--(?=version$)/, ''), `${noun} ${verb}`];
  const command = commands.find(({ name }) => name === words[name.includes(' ') ? 1 : 0]);
  const usage = noun === 'serve' ? serveUsage : command?.usage;
  if (noun === undefined || noun === 'help' || args.some(isHelpOption)) {
    process.stdout.write(usage === undefined ? usageOfAll() : usageOf(usage));
    return 0;
  }
  if (command === undefined) {
    const given = verb === undefined || verb.startsWith('-') ? noun : `${noun} ${verb}`;
    process.stderr.write(`There is no command "${given}".\n\n${usageOfAll()}`);
    return 2;
  }
  try {
    return await run(command, args.slice(command.name.split(' ').length), environment);
  } catch (thrown) {
    // If the store could not be closed either, what the command failed for is reported.
    const cause = thrown instanceof SuppressedError ? thrown.suppressed : thrown;
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

function run(command: StandaloneCommand, args: readonly string[], environment: Environment): Promise<number> {
  // A server on the same machine takes precedence, whatever is done here.
  lowerPriority();
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: command.options,
    strict: true,
    allowPositionals: standalone.includes(command),
    tokens: true,
  });
  const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  // `parseArgs` would take the last one.
  if (repeated !== undefined)
    throw new Refusal('FIELD_INVALID', `--${repeated} is given more than once. Give it once.`);
  return command.run({ environment, values: values as StandaloneCall['values'], words: positionals });
}

function onStore({ run, mayCreateStore, prepare, ...command }: Command): StandaloneCommand {
  return {
    ...command,
    async run({ environment, values: given }) {
      const config = loadConfig(environment);
      if (!mayCreateStore) await requireStore(config);
      const notice = mayCreateStore ? await newStoreNotice(config) : null;
      const values = (await prepare?.(given as CommandValues)) ?? (given as CommandValues);
      await using store = await openStore(config, new Log('error'));
      if (notice !== null) process.stderr.write(notice);
      const site = await siteOf(config, store.database, config.port);
      const context = contextOf(config, site, store.database, store.secrets);
      const result = await run(context, values);
      const { output, exitCode } = typeof result === 'string' ? { output: result, exitCode: 0 } : result;
      process.stdout.write(output);
      return exitCode;
    },
  };
}

const usageOf = (usage: string): string => `Usage: ${shellCommand(usage)}\n`;

function usageOfAll(): string {
  const lines = [serveUsage, ...commands.map(({ usage }) => usage)];
  return `Linnet: short links that stay yours.\n\nUsage: ${shellCommand('COMMAND')}\n\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
