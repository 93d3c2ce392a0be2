import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isEmail } from '../rules/account.ts';
import { unmapped } from '../rules/address-rules.ts';
import { type ClickServer, clickServerOf } from '../rules/clicks-url.ts';
import { databaseUrlAdvice, defaultPool } from '../rules/database-url.ts';
import { queryForwardings } from '../rules/destinations/forwarding.ts';
import { parseAllowList } from '../rules/webhook-allow.ts';

/** One setting of the program: where it comes from, what it means, and how its text is parsed. */
interface Option<T> {
  readonly variable: string;
  readonly default: string;
  readonly help: string;
  /** Never printed, never logged. */
  readonly secret: boolean;
  /** Throws an error whose message completes `PORT is "x": …`. */
  readonly parse: (text: string) => T;
}

function option<T>(
  variable: string,
  defaultText: string,
  help: string,
  parse: (text: string) => T,
): Option<T> {
  return { variable, default: defaultText, help, parse, secret: false };
}

/** A setting that may be left out: it is null then. */
const optional = <T>(variable: string, help: string, parse: (text: string) => T): Option<T | null> =>
  option(variable, '', help, (text) => (text === '' ? null : parse(text)));

/** An optional setting that is never printed. */
const secret = <T>(variable: string, help: string, parse: (text: string) => T): Option<T | null> => ({
  ...optional(variable, help, parse),
  secret: true,
});

const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new Error(`give a whole number from ${min} to ${max}`);
  }
  return number;
};

function oneOf<const T extends string>(...choices: readonly T[]) {
  return (text: string): T => {
    const found = choices.find((choice) => choice === text);
    if (!found) throw new Error(`give ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`);
    return found;
  };
}

/** A text as it is, if it is valid. */
const valid = (isValid: (text: string) => boolean, advice: string) => (text: string) => {
  if (!isValid(text)) throw new Error(advice);
  return text;
};

const nonEmpty = valid((text) => text.trim() !== '', 'give a value, or leave it out');

const asWritten = (text: string): string => text;

function directory(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:')
    throw new Error('give the https:// address of a directory, such as https://acme.zerossl.com/v2/DV90');
  return url.href;
}

function origin(text: string): URL {
  const url = URL.parse(text);
  const isHttp = url && (url.protocol === 'https:' || url.protocol === 'http:') && url.hostname !== '';
  if (!isHttp || url.pathname !== '/' || url.search || url.hash || url.username || url.password) {
    throw new Error(
      'give the address people reach, such as https://links.example.com, with nothing after the host',
    );
  }
  if (!isReachable(url.hostname)) {
    throw new Error(
      `"${url.hostname}" is no host that people can reach; give one such as https://links.example.com`,
    );
  }
  // Browsers open the service at its name without the final dot, which names the same host.
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

/** Includes names in private networks; excludes addresses that one can only listen on, and patterns. */
function isReachable(hostname: string): boolean {
  if (['0.0.0.0', '[::]'].includes(hostname)) return false;
  if (hostname.startsWith('[')) return true;
  const labels = hostname.replace(/\.$/, '').split('.');
  return hostname.length <= 254 && labels.every((label) => /^(?!-)[\w-]{1,63}(?<!-)$/.test(label));
}

function databaseUrl(text: string): string {
  const advice = databaseUrlAdvice(text);
  if (advice !== null) throw new Error(advice);
  return text;
}

function clicksUrl(text: string): ClickServer {
  const server = clickServerOf(text);
  if (server === null)
    throw new Error(
      'give clickhouse://user:password@host:8123/database, or clickhouses://user:password@host:8443/database over TLS',
    );
  return server;
}

function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '';
}

function sender(text: string): { readonly name: string; readonly address: string } {
  const [, , name = '', bracketed] = /^("?)([^<>"\p{Cc}]*)\1\s*<([^<>]*)>$/u.exec(text.trim()) ?? [];
  const address = bracketed ?? text.trim();
  if (!isEmail(address))
    throw new Error('give an address, such as linnet@example.com or Linnet <linnet@example.com>');
  return { name: name.trim(), address };
}

/** Which forwarding headers to trust: those of the last N proxies, those of named networks, or (0) none. */
export type TrustedProxies =
  | { readonly kind: 'hops'; readonly count: number }
  | { readonly kind: 'networks'; readonly ranges: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][] };

function trustedProxies(text: string): TrustedProxies {
  if (/^\d{1,2}$/.test(text)) return { kind: 'hops', count: Number(text) };
  try {
    const ranges = text.split(',').map((part) => networkOf(part.trim()));
    return { kind: 'networks', ranges };
  } catch {
    throw new Error('give how many proxies stand in front, or their networks such as 10.0.0.0/8,192.168.1.4');
  }
}

const networkOf = (text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] => {
  const [start = ''] = text.split('/');
  // Other forms of IPv4 are read differently from how they look: 10/8 as 0.0.0.10/8, and 010.0.0.0 as 8.0.0.0.
  if (!start.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(start)) throw new Error('no address');
  const address = ipaddr.parse(start);
  const max = address.kind() === 'ipv6' ? 128 : 32;
  const [, bits] = text.includes('/') ? ipaddr.parseCIDR(text) : [address, max];
  // In a log, a proxy's IPv4 address may be written as IPv6.
  const base = unmapped(address);
  return base !== address && bits >= 96 ? [base, bits - 96] : [address, bits];
};

function schemes(text: string): readonly string[] {
  const named = text.split(',').map((part) => part.trim().toLowerCase().replace(/:$/, ''));
  const given = named.filter((name) => name !== '');
  const dangerous = ['javascript', 'data', 'vbscript', 'file', 'blob', 'about', 'view-source'];
  if (given.some((name) => !/^[a-z][a-z0-9+.-]*$/.test(name) || dangerous.includes(name))) {
    throw new Error(
      "give the schemes of apps that links may open, such as myapp,whatsapp (never a browser's own)",
    );
  }
  return given;
}

/** Where custom domains should point: a host, or addresses. */
function domainTarget(text: string): string | readonly string[] {
  const parts = text.split(',').map((part) => part.trim().toLowerCase().replace(/\.$/, ''));
  if (parts.every((part) => isIP(part) !== 0)) return parts;
  const [host = ''] = parts;
  if (parts.length > 1 || !/^(?=.{1,253}$)(?:[a-z0-9_-]{1,63}\.)+[a-z][a-z0-9-]{0,62}$/.test(host)) {
    throw new Error('give a host such as lb.example.com, or addresses such as 192.0.2.1,2001:db8::1');
  }
  return host;
}

function dnsServers(text: string): readonly string[] {
  const servers = text.split(',').map((part) => part.trim());
  const given = servers.filter((server) => server !== '');
  if (!given.every(isServer)) throw new Error('give addresses such as 192.0.2.53,[2001:db8::53]:5353');
  return given;
}

function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, six, four, port = '53'] = /^(?:\[(.+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isAddress = six === undefined ? isIP(four ?? '') === 4 : isIP(six) === 6;
  return isAddress && Number(port) >= 1 && Number(port) <= 65535;
}

/** All settings. Nothing else in the program reads the environment. */
export const options = {
  port: option(
    'PORT',
    '3000',
    'The port to listen on; 0 takes any free one. Default with HTTPS: 443.',
    wholeNumber(0, 65535),
  ),
  host: option(
    'HOST',
    '127.0.0.1',
    'The address to listen on; 0.0.0.0 or :: for all. Default with HTTPS: ::',
    nonEmpty,
  ),
  dataDir: option(
    'DATA_DIR',
    'data',
    'The folder for the SQLite file, the secret key and clicks not yet counted.',
    nonEmpty,
  ),
  baseUrl: optional(
    'BASE_URL',
    'The public address; its host is the default domain of links. Default: the one set on the set-up page, else http://127.0.0.1:PORT (or the loopback address of HOST).',
    origin,
  ),
  https: option(
    'HTTPS',
    'off',
    'Whether Linnet itself serves HTTPS: off, files (TLS_CERT and TLS_KEY) or auto (certificates by ACME). See docs/https.md.',
    oneOf('off', 'files', 'auto'),
  ),
  tlsCert: optional(
    'TLS_CERT',
    'The certificate for HTTPS=files with its chain: a PEM file, read again when it changes.',
    asWritten,
  ),
  tlsKey: optional('TLS_KEY', 'The private key of TLS_CERT: a PEM file.', asWritten),
  acmeUrl: option(
    'ACME_URL',
    'https://acme-v02.api.letsencrypt.org/directory',
    "The ACME directory of the authority for HTTPS=auto; using it accepts its terms. Default: Let's Encrypt.",
    directory,
  ),
  acmeEmail: optional(
    'ACME_EMAIL',
    'The address that the authority may write to about certificates.',
    valid(isEmail, 'give one address, such as you@example.com'),
  ),
  acmeEabKid: optional(
    'ACME_EAB_KID',
    'The id of an account issued by the authority, with ACME_EAB_KEY. Most authorities need none.',
    asWritten,
  ),
  acmeEabKey: secret(
    'ACME_EAB_KEY',
    'The key of that account, as issued by the authority.',
    valid((text) => /^[\w-]+=*$/.test(text), 'give it as the authority wrote it, in base64url'),
  ),
  acmeCa: optional(
    'ACME_CA',
    'The CA certificate of the authority itself, if it is your own: a PEM file.',
    asWritten,
  ),
  httpPort: option(
    'HTTP_PORT',
    '80',
    'With HTTPS: the port that redirects http to https; off for none.',
    (text) => (text === 'off' ? null : wholeNumber(0, 65535)(text)),
  ),
  httpLinks: option(
    'HTTP_LINKS',
    'redirect',
    'How short links respond to http: redirect (to https on the same host) or answer.',
    oneOf('redirect', 'answer'),
  ),
  hsts: option(
    'HSTS',
    'service',
    'Which hosts tell browsers to use https only: service (its own, after a day of HTTPS), all (custom domains too) or off.',
    oneOf('service', 'all', 'off'),
  ),
  databaseUrl: secret(
    'DATABASE_URL',
    'postgres://… for PostgreSQL, with several servers as host1:5432,host2:5432. Default: SQLite in DATA_DIR.',
    databaseUrl,
  ),
  databasePool: option(
    'DB_POOL',
    String(defaultPool),
    'The maximum of connections to PostgreSQL per process, for API calls. Lookups, the fold and statistics use up to 11 more.',
    wholeNumber(4, 500),
  ),
  clicksUrl: secret(
    'CLICKS_URL',
    'clickhouse://… (clickhouses:// over TLS) for individual clicks in ClickHouse, beside PostgreSQL. Default: in the database.',
    clicksUrl,
  ),
  registration: option(
    'REGISTRATION',
    'closed',
    'Who may create an account once there is one: closed (invitations only) or open.',
    oneOf('closed', 'open'),
  ),
  trustedProxies: option(
    'TRUSTED_PROXIES',
    '0',
    'The number of proxies in front, or their networks: their X-Forwarded-For is trusted, and the headers in which they name a country.',
    trustedProxies,
  ),
  secretKey: secret(
    'SECRET_KEY',
    'The key for signing tokens and gates, the same on every node. Default: generated once, in DATA_DIR/secret.key.',
    valid(
      (text) => text.trim().length >= 32,
      'give at least 32 characters, such as the output of "openssl rand -hex 32"',
    ),
  ),
  smtpUrl: secret(
    'SMTP_URL',
    'The server for outgoing mail, such as smtp://user:password@host:587. Default: no mail is sent.',
    valid(
      isSmtpUrl,
      'give smtp://user:password@host:587, or smtps://… where the server speaks TLS from the start',
    ),
  ),
  mailFrom: optional(
    'MAIL_FROM',
    'The sender of mails, such as Linnet <linnet@example.com>. Default: linnet at the host of BASE_URL.',
    sender,
  ),
  appSchemes: option(
    'APP_SCHEMES',
    '',
    'Schemes that destinations may have besides http and https, such as myapp,whatsapp.',
    schemes,
  ),
  forwardQuery: option(
    'FORWARD_QUERY',
    'none',
    "How a visitor's query is forwarded by links without a setting of their own: none, merge (the destination's parameters win) or override.",
    oneOf(...queryForwardings),
  ),
  fetchTitles: option(
    'FETCH_TITLES',
    'on',
    "Whether titles and icons of new links' destinations are fetched, from public addresses only (and WEBHOOK_ALLOW): on or off.",
    oneOf('on', 'off'),
  ),
  missLimit: option(
    'MISS_LIMIT',
    '600',
    'How many unknown short links one network may request per minute; further ones are answered with 429, while existing links still redirect, because many people may share a network. 0 for no limit.',
    wholeNumber(0, 1_000_000),
  ),
  webhookAllow: option(
    'WEBHOOK_ALLOW',
    '',
    'Internal targets that webhooks may call: hosts, host:port or networks, or none. Default: none; in a trial on one machine, its own services.',
    parseAllowList,
  ),
  watchDestinations: option(
    'WATCH_DESTINATIONS',
    'on',
    'Whether destinations are checked daily, for links and organizations that have this enabled: on or off.',
    oneOf('on', 'off'),
  ),
  webhookAddress: option(
    'WEBHOOK_ADDRESS',
    'shortened',
    "How much of a visitor's address webhooks include: full, shortened (to its network) or none.",
    oneOf('full', 'shortened', 'none'),
  ),
  domainTarget: optional(
    'DOMAIN_TARGET',
    'The host or addresses that custom domains must point to. Default: the host of BASE_URL.',
    domainTarget,
  ),
  dnsServers: option(
    'DNS_SERVERS',
    '',
    'Name servers for looking up custom domains. Default: those of the machine.',
    dnsServers,
  ),
  countryFile: optional(
    'COUNTRY_FILE',
    "Your own file (.mmdb) for looking up a visitor's country by address. Default: the one that comes with Linnet. With a city file, link rules and statistics can use regions and cities.",
    asWritten,
  ),
  visitorSaltDir: optional(
    'VISITOR_SALT_DIR',
    'The folder for the daily secrets by which visitors are told apart; it may be in memory. Default: visitor-salts in DATA_DIR.',
    asWritten,
  ),
  clickRetentionDays: option(
    'CLICK_RETENTION_DAYS',
    '180',
    'How many days individual clicks are kept, on PostgreSQL until their whole month is that old; totals stay.',
    wholeNumber(1, 3650),
  ),
  journalKeepMinutes: option(
    'JOURNAL_KEEP_MINUTES',
    '15',
    'With PostgreSQL, how long counted clicks stay in DATA_DIR/journal, in case the database goes back in time; 0 for not at all.',
    wholeNumber(0, 1440),
  ),
  journalKeepMegabytes: option(
    'JOURNAL_KEEP_MEGABYTES',
    '64',
    'The maximum size of these, per process.',
    wholeNumber(0, 100_000),
  ),
  accessLog: option(
    'ACCESS_LOG',
    'off',
    'Whether each response is logged, without anything about the client: on or off.',
    oneOf('on', 'off'),
  ),
  backupBeforeUpgrade: option(
    'BACKUP_BEFORE_UPGRADE',
    'on',
    'Whether a SQLite store is copied to DATA_DIR/backups before a newer version migrates it: on or off.',
    oneOf('on', 'off'),
  ),
  repeatWindow: option(
    'REPEAT_WINDOW',
    '2000',
    'Milliseconds in which the same request from a browser is a repeat and no click; 0 for never.',
    wholeNumber(0, 60_000),
  ),
  floodLimit: option(
    'FLOOD_LIMIT',
    '30000',
    'Clicks per minute from one network (IPv4 /24, IPv6 /48) on one link above which they are a flood and no clicks; 0 for never.',
    wholeNumber(0, 1_000_000_000),
  ),
  drainSeconds: option(
    'DRAIN_SECONDS',
    '0',
    'How long the port stays open after SIGTERM while /readyz fails and responses close their connections; for load balancers.',
    wholeNumber(0, 3_600),
  ),
  workers: option(
    'WORKERS',
    '1',
    'The number of processes that share the port, one per core; on Linux.',
    wholeNumber(1, 256),
  ),
  maxConnections: optional(
    'MAX_CONNECTIONS',
    "The maximum of connections per process. Default: three fifths of what the system's limit on open files leaves, at most 50,000.",
    wholeNumber(8, 1_000_000),
  ),
  maxConnectionsPerNetwork: optional(
    'MAX_CONNECTIONS_PER_NETWORK',
    'The maximum of these per network, except trusted proxies; 0 for no limit. Default: a quarter.',
    wholeNumber(0, 1_000_000),
  ),
  metricsToken: secret(
    'METRICS_TOKEN',
    'The bearer token for reading /metrics from another machine. Default: only from this machine.',
    valid(
      (text) => /^[\x21-\x7e]{16,}$/.test(text),
      'give at least 16 characters of ASCII without spaces, such as the output of "openssl rand -hex 16"',
    ),
  ),
  logLevel: option(
    'LOG_LEVEL',
    'info',
    'How much is logged: error, warn or info.',
    oneOf('error', 'warn', 'info'),
  ),
} as const;

export type Config = { readonly [Name in keyof typeof options]: ReturnType<(typeof options)[Name]['parse']> };
