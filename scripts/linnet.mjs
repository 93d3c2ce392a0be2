#!/usr/bin/env node
/** What `npx linnet` runs: hands over to the runtime that npm has installed beside this package. */
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
// A file of another program's settings in this folder is none of ours.
const args = ['--no-env-file', join(root, 'src', 'main.ts'), ...process.argv.slice(2)];
const env = word === 'serve' ? { ...startEnvironment, ...process.env } : process.env;
const child = spawn(program, args, { stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (cause) => fail(`${program} could not be started: ${cause.message}`));
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));

/** The program of the `bun` package; beside it, where npm was told to run no install scripts. */
function bun() {
  const folders = createRequire(import.meta.url).resolve.paths('bun') ?? [];
  const places = folders.flatMap((folder) => [
    join(folder, 'bun', 'bin', 'bun.exe'),
    ...(existsSync(join(folder, '@oven')) ? readdirSync(join(folder, '@oven')) : []).flatMap((pack) =>
      ['bun', 'bun.exe'].map((name) => join(folder, '@oven', pack, 'bin', name)),
    ),
  ]);
  return places.find((place) => existsSync(place) && statSync(place).size > 1_000_000) ?? null;
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
