import { isIP } from 'node:net';
import { isLoopbackName } from '../rules/host.ts';
import { type Config, options } from './options.ts';

/** An invalid setting: the message is all that its reader needs. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem';
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function loadConfig(environment: Environment): Config {
  const { config, problems } = read(environment);
  if (problems[0] !== undefined) throw new ConfigProblem(problems[0]);
  return config;
}

/** A message for each invalid setting. */
export const settingProblems = (environment: Environment): readonly string[] => read(environment).problems;

/** Without problems the config is complete. */
function read(environment: Environment): { readonly config: Config; readonly problems: readonly string[] } {
  const defaults = defaultsFor(environment.HTTPS);
  const problems: string[] = [];
  const entries = Object.entries(options).map(([name, option]) => {
    const given = environment[option.variable];
    const text = given === undefined || given === '' ? (defaults[option.variable] ?? option.default) : given;
    try {
      return [name, option.parse(text)];
    } catch (cause) {
      const shown = option.secret ? 'set' : `"${text}"`;
      problems.push(`${option.variable} is ${shown}: ${(cause as Error).message}.`);
      return [name, null];
    }
  });
  const config = Object.fromEntries(entries) as Config;
  const contradiction = problems.length === 0 ? contradictionIn(config) : null;
  return { config, problems: contradiction === null ? problems : [contradiction] };
}

const defaultsFor = (https = ''): Readonly<Record<string, string>> =>
  https === '' || https === 'off' ? {} : { PORT: '443', HOST: '::' };

/** Settings that don't go together; null if all do. */
function contradictionIn(config: Config): string | null {
  const { https, baseUrl, tlsCert, tlsKey, port, httpPort, acmeEabKid, acmeEabKey } = config;
  if (https !== 'off') {
    if (baseUrl?.protocol !== 'https:')
      return `HTTPS is "${https}": set BASE_URL to the address that people are to reach, such as https://links.example.com.`;
    if (https === 'files' && (tlsCert === null || tlsKey === null))
      return 'HTTPS is "files": set TLS_CERT and TLS_KEY to the files of the certificate and of its private key.';
    if (https === 'auto' && !mayBeCertified(baseUrl.hostname))
      return `BASE_URL is "${baseUrl.origin}": no authority gives a certificate for ${baseUrl.hostname}. Set it to a name in the DNS, such as https://links.example.com, or use HTTPS=files.`;
    if ((acmeEabKid === null) !== (acmeEabKey === null))
      return 'ACME_EAB_KID and ACME_EAB_KEY go together: set both, or none.';
    if (port === httpPort && port !== 0)
      return `HTTP_PORT is "${httpPort}": give another port than PORT, or off.`;
  }
  if (https !== 'files' && (tlsCert !== null || tlsKey !== null))
    return `HTTPS is "${https}": TLS_CERT and TLS_KEY are for HTTPS=files. Set that, or leave them out.`;
  return config.clicksUrl !== null && config.databaseUrl === null
    ? 'CLICKS_URL is set: it takes individual clicks off PostgreSQL. Set DATABASE_URL to a PostgreSQL as well, or leave CLICKS_URL out.'
    : null;
}

/** A name in the public DNS, not an address. */
const mayBeCertified = (host: string): boolean =>
  isIP(host.replace(/^\[|\]$/g, '')) === 0 && host.includes('.') && !isLoopbackName(host);
