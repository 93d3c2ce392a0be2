import { type Config, options } from './options.ts';

/** A setting that can't be used: the sentence is all its reader needs. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem';
}

export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const defaults = defaultsFor(environment.HTTPS);
  const entries = Object.entries(options).map(([name, option]) => {
    const given = environment[option.variable];
    const text = given === undefined || given === '' ? (defaults[option.variable] ?? option.default) : given;
    try {
      return [name, option.parse(text)];
    } catch (cause) {
      const shown = option.secret ? 'set' : `"${text}"`;
      throw new ConfigProblem(`${option.variable} is ${shown}: ${(cause as Error).message}.`);
    }
  });
  const config = Object.fromEntries(entries) as Config;
  if (config.https !== 'off') checkHttps(config);
  return config;
}

const defaultsFor = (https = ''): Readonly<Record<string, string>> =>
  https === '' || https === 'off' ? {} : { PORT: '443', HOST: '::' };

/** What must go together for HTTPS. */
function checkHttps({ https, baseUrl, tlsCert, tlsKey, port, httpPort }: Config): void {
  if (baseUrl?.protocol !== 'https:')
    throw new ConfigProblem(
      `HTTPS is "${https}": set BASE_URL to the address that people are to reach, such as https://links.example.com.`,
    );
  if (https === 'files' && (tlsCert === null || tlsKey === null))
    throw new ConfigProblem(
      'HTTPS is "files": set TLS_CERT and TLS_KEY to the files of the certificate and of its private key.',
    );
  if (port === httpPort && port !== 0)
    throw new ConfigProblem(`HTTP_PORT is "${httpPort}": give another port than PORT, or off.`);
}
