import { describe, expect, test } from 'bun:test';
import { ConfigProblem, loadConfig } from '../src/config/load.ts';
import { options } from '../src/config/options.ts';
import { StartProblem } from '../src/start-problem.ts';
import { portProblem } from '../src/visit/connection/port-problem.ts';
import { startApp } from './support/app.ts';

/** Unusable values for each setting that has any; the others accept any text, which the start checks. */
const wrong: Record<string, readonly string[]> = {
  PORT: ['abc', '70000', '-1', '3.5', ' '],
  HOST: [' '],
  DATA_DIR: [' '],
  BASE_URL: [
    ...[
      'links',
      'links.example.com',
      'https://',
      'ftp://x.example',
      'https://x.example/path',
      'https://u:p@x.example',
    ],
    ...[
      'https://x..example',
      'https://-x.example',
      'https://x-.example',
      'https://*.example.com',
      'https://ex ample.com',
    ],
    ...['http://0.0.0.0:3000', 'http://[::]', 'https://x.example:99999', `https://${'x'.repeat(64)}.example`],
  ],
  DATABASE_URL: [
    ...['mysql://x', 'postgres://', 'data.sqlite'],
    ...['postgres://u@h/d?target_session_attrs=standby', 'postgres://u@h/d?prepared_statements=yes'],
  ],
  CLICKS_URL: ['postgres://x/y', 'clickhouse://', 'clickhouse://x/', 'clickhouse://x/a b'],
  DB_POOL: ['0', '3', '501', 'many'],
  HTTPS: ['yes'],
  ACME_URL: ['acme.example', 'http://acme.example/directory'],
  ACME_EMAIL: ['nobody'],
  ACME_EAB_KEY: ['a b'],
  HTTP_PORT: ['x', '70000'],
  HTTP_LINKS: ['maybe'],
  HSTS: ['maybe'],
  REGISTRATION: ['maybe'],
  TRUSTED_PROXIES: ['-1', '100', '10.0.0.0/99', 'proxy'],
  SECRET_KEY: ['short', ' '.repeat(40)],
  SMTP_URL: ['mail.example.com', 'smtp://', 'smtp://h:99999'],
  MAIL_FROM: ['nobody', 'Linnet <nobody>'],
  APP_SCHEMES: ['javascript', 'my app'],
  FORWARD_QUERY: ['yes'],
  WATCH_DESTINATIONS: ['yes'],
  FETCH_TITLES: ['yes'],
  MISS_LIMIT: ['many', '-1'],
  WEBHOOK_ALLOW: ['???'],
  WEBHOOK_ADDRESS: ['some'],
  DOMAIN_TARGET: ['a b', 'one.example,other.example'],
  DNS_SERVERS: ['dns.example.com', '1.2.3.4:99999'],
  CLICK_RETENTION_DAYS: ['0', '4000'],
  JOURNAL_KEEP_MINUTES: ['-1', '2000'],
  JOURNAL_KEEP_MEGABYTES: ['much'],
  ACCESS_LOG: ['maybe'],
  BACKUP_BEFORE_UPGRADE: ['maybe'],
  REPEAT_WINDOW: ['long'],
  FLOOD_LIMIT: ['many', '-1'],
  DRAIN_SECONDS: ['-1', '3601', 'ten'],
  WORKERS: ['0', '1000'],
  METRICS_TOKEN: ['short', 'with a space in it, though long'],
  MAX_CONNECTIONS: ['1', 'all'],
  MAX_CONNECTIONS_PER_NETWORK: ['-3'],
  LOG_LEVEL: ['loud'],
};
const anyText = ['TLS_CERT', 'TLS_KEY', 'ACME_EAB_KID', 'ACME_CA', 'COUNTRY_FILE', 'VISITOR_SALT_DIR'];

test('every setting is tested here', () => {
  const variables = Object.values(options).map(({ variable }) => variable);
  expect(variables.filter((name) => !(name in wrong) && !anyText.includes(name))).toEqual([]);
});

const cases = Object.entries(wrong).flatMap(([name, values]) =>
  values.map((value) => [name, value] as const),
);
test.each(cases)('%s=%s is refused with one line that says what to set', (name, value) => {
  const secret = Object.values(options).find(({ variable }) => variable === name)?.secret;
  let line = 'it was accepted';
  try {
    loadConfig({ [name]: value });
  } catch (cause) {
    if (cause instanceof ConfigProblem) line = cause.message;
  }
  expect(line).toStartWith(`${name} is ${secret ? 'set' : `"${value}"`}: `);
  expect(line).toMatch(/\bgive\b[^\n]+\.$/);
});

test.each([
  [{ TLS_CERT: '/a.pem', TLS_KEY: '/a.key' }, /^HTTPS is "off": TLS_CERT and TLS_KEY are for HTTPS=files\. /],
  [
    { HTTPS: 'auto', BASE_URL: 'https://links.example.com', TLS_CERT: '/a.pem' },
    /^HTTPS is "auto": TLS_CERT and TLS_KEY are for HTTPS=files\. /,
  ],
  [
    { DATABASE_URL: 'postgres://h/d?target_session_attrs=standby' },
    /: give one of any, read-write, primary /,
  ],
  [{ DATABASE_URL: 'postgres://h/d?prepared_statements=1' }, /: give on or off for prepared_statements/],
])('%p is refused for the part that is wrong', (environment, line) => {
  expect(() => loadConfig(environment)).toThrow(line);
});

describe('real addresses', () => {
  test.each([
    'http://localhost:3000',
    'https://links.example.com',
    'http://my_app:3000',
    'https://xn--bcher-kva.example',
    'http://192.0.2.7',
    'http://[2001:db8::1]:8080',
    'https://bücher.example',
    'https://links.example.com.',
  ])('%s is accepted', (value) => {
    expect(loadConfig({ BASE_URL: value }).baseUrl?.href).toBeString();
  });

  test.each([
    ['https://Links.Example.com.:443/', 'https://links.example.com'],
    ['http://localhost.:3000', 'http://localhost:3000'],
  ])('%s is %s, at which browsers open it', (value, origin) => {
    expect(loadConfig({ BASE_URL: value }).baseUrl?.origin).toBe(origin);
  });
});

test.each([
  [
    { code: 'EACCES' },
    81,
    /^Port 81 needs more rights than this user has\. Choose one above 1023, such as PORT=3000\.$/,
  ],
  [{ code: 'EACCES' }, 443, /^Port 443 needs more rights .*docs\/https\.md/],
  [
    { code: 'EADDRINUSE' },
    3000,
    /^Port 3000 on x is taken\. Stop what uses it, or choose another, such as PORT=3001\.$/,
  ],
  [{ code: 'EADDRNOTAVAIL' }, 3000, /^This machine has no address x to listen on\. Set HOST/],
  [
    { message: 'Failed to listen at x' },
    3000,
    /that is not an address of this machine\. Set HOST to one, such as/,
  ],
  [{ message: 'out of luck' }, 3000, /^Listening on x:3000 failed: out of luck\. Check HOST and PORT\.$/],
])("a port that can't be listened on: %p", (cause, port, line) => {
  expect(portProblem({ host: 'x', port }, cause).message).toMatch(line);
});

test.each([
  ['HOST', 'no such host', /that is not an address of this machine\. Set HOST to one/],
  [
    'COUNTRY_FILE',
    '/nowhere.mmdb',
    /^COUNTRY_FILE can not be used\. .* Give the path of an \.mmdb file, or leave the setting out\.$/,
  ],
  [
    'VISITOR_SALT_DIR',
    '/dev/null/x',
    /^The folder \/dev\/null\/x can not be written .* Set VISITOR_SALT_DIR to one that can\.$/,
  ],
  [
    'DATA_DIR',
    '/dev/null/x',
    /^The data folder \/dev\/null\/x can not be written .* Set DATA_DIR to one that can\.$/,
  ],
  [
    'DATABASE_URL',
    'postgres://u:hunter2@127.0.0.1:1/d',
    /^The database at 127\.0\.0\.1:1\/d can not be reached(?!.*hunter2).* Check DATABASE_URL/,
  ],
])('the start stops at %s=%s with one line that says what to do', async (name, value, line) => {
  // The program prints the message of a StartProblem and exits: start-up.test.ts.
  const cause = await startApp({ env: { [name]: value } }).catch((problem: unknown) => problem);
  if (!(cause instanceof StartProblem)) throw cause;
  expect(cause.message).toMatch(line);
  expect(cause.message).not.toContain('\n');
});
