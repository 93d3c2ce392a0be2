import { resolve } from 'node:path';
import { Secrets } from '../auth/secrets.ts';
import { openReadOnlyStore, type ReadOnlyStore, settingIn } from '../backup/read-only-store.ts';
import { localUrl } from '../compose/base-url.ts';
import { mailerOf } from '../compose/context.ts';
import { portOfServer } from '../compose/server-lock.ts';
import { loadConfig, settingProblems } from '../config/load.ts';
import type { Config } from '../config/options.ts';
import { Dns } from '../domains/dns.ts';
import { runChecks } from '../health/run-checks.ts';
import { baseUrlSetting } from '../manage/base-url.ts';
import { type CheckFinding, problem, usableSettings } from '../rules/finding.ts';
import { Site } from '../rules/site.ts';
import { StartProblem } from '../start-problem.ts';
import { existingKey, storeProblem } from '../store.ts';
import { Log } from '../telemetry/log.ts';
import { readCertificate } from '../visit/tls/certificate-files.ts';
import { refuseArguments, type StandaloneCommand } from './command.ts';

export const doctor: StandaloneCommand = {
  name: 'doctor',
  usage:
    'doctor [--json]   (checks settings, disk, clock, DNS, certificates, proxies, database, secret key, mail, clicks that wait, backups; exits with 1 if something is wrong)',
  options: { json: { type: 'boolean' } },
  async run(call) {
    refuseArguments(call);
    const { environment, values } = call;
    const settingErrors = settingProblems(environment);
    const findings: readonly CheckFinding[] =
      settingErrors.length > 0
        ? settingErrors.map((sentence) => ({ check: 'settings', ...problem(sentence, settingsTodo) }))
        : await checkAll(loadConfig(environment));
    const isHealthy = findings.every(({ state }) => state !== 'problem');
    process.stdout.write(
      values.json === true
        ? `${JSON.stringify({ is_well: isHealthy, findings }, null, 2)}\n`
        : listed(findings),
    );
    return isHealthy ? 0 : 1;
  },
};

const settingsTodo = 'Correct it: nothing starts until then. The rest was not looked at.';

/** Settings that are valid may still name files that can't be used. */
function settingsFinding({ https, tlsCert, tlsKey }: Config): CheckFinding {
  if (https !== 'files') return usableSettings;
  try {
    readCertificate({ certificate: tlsCert ?? '', key: tlsKey ?? '' }, Date.now());
    return usableSettings;
  } catch (cause) {
    if (!(cause instanceof StartProblem)) throw cause;
    return { check: 'settings', ...problem(cause.message, 'Nothing starts until then.') };
  }
}

async function checkAll(config: Config): Promise<readonly CheckFinding[]> {
  const dataDir = resolve(config.dataDir);
  let storeError: string | null = null;
  await using store = await openReadOnlyStore(config.databaseUrl, dataDir).catch((cause) => {
    storeError = storeProblem(config, cause).message;
    return null;
  });
  const dns = new Dns(config.dnsServers);
  try {
    const { key, keyProblem } = await findKey(config);
    const site = new Site(
      config.baseUrl ??
        new URL((await storedBaseUrl(store)) ?? localUrl(config.host, portOfServer(dataDir) ?? config.port)),
    );
    const findings = await runChecks({
      config,
      dataDir,
      site,
      secrets: key === null ? null : new Secrets(key),
      keyProblem,
      store,
      storeProblem: storeError,
      dns,
      mailer: mailerOf(config, site, {}, new Log('error', () => {})),
      now: Date.now(),
    });
    return [settingsFinding(config), ...findings];
  } finally {
    dns.close();
  }
}

async function findKey(config: Config) {
  try {
    return { key: await existingKey(config), keyProblem: null };
  } catch (cause) {
    return { key: null, keyProblem: (cause as Error).message };
  }
}

async function storedBaseUrl(store: ReadOnlyStore | null): Promise<string | null> {
  if (store === null) return null;
  return settingIn(store, baseUrlSetting).catch(() => null);
}

const marks = { ok: '  ok   ', notice: '  note ', problem: '  BAD  ' } as const;

function listed(findings: readonly CheckFinding[]): string {
  const lines = findings.map(({ check, state, found, todo }) => {
    const head = `${marks[state]}${check.padEnd(12)}${found}\n`;
    return todo === null ? head : `${head}${' '.repeat(19)}${todo}\n`;
  });
  const bad = findings.filter(({ state }) => state === 'problem').length;
  const last = bad === 0 ? 'Nothing is wrong.' : `${bad} ${bad === 1 ? 'thing is' : 'things are'} wrong.`;
  return `${lines.join('')}\n${last}\n`;
}
