import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import unit from '../../deploy/linnet.service' with { type: 'text' };
import { contents } from '../bundle/contents.ts';
import { readServeArguments } from '../compose/serve-arguments.ts';
import { loadConfig } from '../config/load.ts';
import { Refusal } from '../rules/errors.ts';
import type { StandaloneCall, StandaloneCommand } from './command.ts';

const program = '/usr/local/bin/linnet';
const unitFile = '/etc/systemd/system/linnet.service';
/** Beside a unit that an operator has changed; systemd ignores it. */
const newUnitFile = `${unitFile}.new`;
const settingsFile = '/etc/linnet/linnet.env';

/** For machines with systemd: a unit without root privileges, a file for settings, and this program where the unit expects it. */
export const service: StandaloneCommand = {
  name: 'service',
  usage: 'service install [HOST] [--root FOLDER]   (installs a systemd unit; HOST as for serve)',
  options: { root: { type: 'string' } },
  async run(call) {
    const { origin, root } = installation(call);
    if (contents === null || process.platform !== 'linux')
      throw new Refusal(
        'FIELD_INVALID',
        'Only the one file of `npm run build` can be installed as a service, on Linux.',
      );
    const at = (path: string) => join(root, path);
    const isUpgrade = existsSync(at(unitFile));
    const areSettingsKept = existsSync(at(settingsFile));
    const isUnitKept = isUpgrade && readFileSync(at(unitFile), 'utf8') !== unitFor(program);
    try {
      replace(at(program), (path) => copyFileSync(process.execPath, path), 0o755);
      replace(
        at(isUnitKept ? newUnitFile : unitFile),
        (path) => writeFileSync(path, unitFor(program)),
        0o644,
      );
      if (!isUnitKept) rmSync(at(newUnitFile), { force: true });
      if (!areSettingsKept)
        replace(at(settingsFile), (path) => writeFileSync(path, settingsFor(origin)), 0o600);
    } catch (cause) {
      if (!/^(EACCES|EPERM|EROFS)$/.test((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
      throw new Refusal(
        'FIELD_INVALID',
        `${(cause as Error).message}. Run it as root: sudo ${process.execPath} service ${call.words.join(' ')}`,
      );
    }
    const written = [program, ...(isUnitKept ? [] : [unitFile]), ...(areSettingsKept ? [] : [settingsFile])];
    process.stdout.write(
      [
        `Written: ${listed(written)}.\n`,
        areSettingsKept ? keptSettings(origin) : '',
        isUnitKept ? keptUnit : '',
        isUpgrade ? restartStep : startStep,
        commandStep,
      ].join(''),
    );
    return 0;
  },
};

const listed = (files: readonly string[]): string => new Intl.ListFormat('en-GB').format(files);

const keptSettings = (origin: string | null): string => {
  const missing = origin === null ? '' : ` For this host it needs BASE_URL=${origin} and HTTPS=auto.`;
  return `${settingsFile} was there, and is as it was.${missing}\n`;
};

const keptUnit = `${unitFile} is not the unit of this version, and is as it was. This version's is ${newUnitFile}: compare the two, put your own
lines into a drop-in (systemctl edit linnet), then mv ${newUnitFile} ${unitFile}
`;

const startStep = `Look at ${settingsFile}, then start the service, now and with the machine:

  systemctl daemon-reload && systemctl enable --now linnet
`;

const restartStep = `A running service is still the earlier version. Restart it:

  systemctl daemon-reload && systemctl restart linnet
`;

const commandStep = `
Its commands run as its user, for example the one that shows the setup token:

  systemd-run --pipe --wait --collect -q -p User=linnet -p DynamicUser=yes -p StateDirectory=linnet \\
    -p EnvironmentFile=${settingsFile} -E DATA_DIR=/var/lib/linnet ${program} setup token
`;

/** `origin` is null without a host. */
function installation({ words, values }: StandaloneCall): { origin: string | null; root: string } {
  const [verb, host, ...more] = words;
  if (verb !== 'install' || more.length > 0)
    throw new Refusal('FIELD_INVALID', 'Say: service install, or service install links.example.com.');
  return {
    origin: host === undefined ? null : originFor(host),
    root: typeof values.root === 'string' ? values.root : '/',
  };
}

/** Refuses what `serve` would refuse when the service starts. */
function originFor(host: string): string | null {
  const { environment } = readServeArguments([host], {});
  return loadConfig(environment).baseUrl?.origin ?? null;
}

/** A running program's file can be replaced, but not written to. */
function replace(path: string, write: (path: string) => void, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.new`;
  write(temporary);
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

const unitFor = (path: string): string => unit.replace('/usr/bin/linnet', path);

const settingsFor = (origin: string | null): string =>
  `# Settings of Linnet, a line each; docs/operations.md has them all. After a change: systemctl restart linnet
# HTTPS=auto gets certificates by itself; behind a proxy leave it out, and set TRUSTED_PROXIES=1.
${origin === null ? '#BASE_URL=https://links.example.com\n#HTTPS=auto' : `BASE_URL=${origin}\nHTTPS=auto`}
`;
