#!/usr/bin/env node
/** The command `npx linnet`: starts the runtime that npm has installed with this package. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const startEnvironment = JSON.parse(readFileSync(join(root, 'scripts', 'start-environment.json'), 'utf8'));

const program = bun();
if (program === null) fail('Bun, which runs Linnet, was not installed for this kind of machine.');
const [word] = process.argv.slice(2);
// An .env file in this folder may belong to another program.
const args = ['--no-env-file', join(root, 'src', 'main.ts'), ...process.argv.slice(2)];
const env = word === 'serve' ? { ...startEnvironment, ...process.env } : process.env;
const child = spawn(program, args, { stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (cause) => fail(`${program} could not be started: ${cause.message}`));
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));

/** The executable of the `bun` package, or of its platform package if npm ran no install scripts. */
function bun() {
  const folders = createRequire(import.meta.url).resolve.paths('bun') ?? [];
  const paths = folders.flatMap((folder) => [
    join(folder, 'bun', 'bin', 'bun.exe'),
    ...(existsSync(join(folder, '@oven')) ? readdirSync(join(folder, '@oven')) : []).flatMap((pack) =>
      ['bun', 'bun.exe'].map((name) => join(folder, '@oven', pack, 'bin', name)),
    ),
  ]);
  return paths.find((path) => existsSync(path) && statSync(path).size > 1_000_000) ?? null;
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
