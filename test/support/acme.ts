import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App, Overrides } from '../../src/app.ts';
import { Log } from '../../src/telemetry/log.ts';
import { type StoreKind, startApp, type TestApp } from './app.ts';
import { selfSigned } from './certificate.ts';
import { eventually } from './eventually.ts';
import { freePorts } from './free-ports.ts';
import { type NameServer, type Names, startNameServer, zoneOf } from './name-server.ts';
import { scaledToLoad } from './scaled-to-load.ts';

/** A real ACME server for tests, from the Debian and Ubuntu package `pebble`. */
const pebble = Bun.which('pebble');

/** The host of apps whose certificates come from here. */
export const ownHost = 'links.example.com';
/** The authority connects from 127.0.0.1, so visitors connect from another address. */
export const visitor = { localAddress: '127.0.0.2' };

export const hasPebble = pebble !== null;
if (!hasPebble)
  process.stderr.write(
    'Tests of certificates by ACME are skipped: there is no pebble here (Debian and Ubuntu: apt-get install pebble).\n',
  );

/** What happens to a call: it is forwarded, its response is lost, or this response replaces it. */
export type CallOutcome = 'passed' | 'lost' | Response;

export interface Authority extends AsyncDisposable {
  readonly names: Names;
  /** Environment variables of a node that gets its certificates here. */
  readonly settings: Readonly<Record<string, string>>;
  /** The port on which it validates TLS-ALPN challenges. */
  readonly tlsPort: number;
  readonly httpPort: number;
  /** Methods and paths of the calls so far. */
  readonly calls: string[];
  /** The `contact` of each account that was created. */
  readonly contacts: unknown[];
  /** The root certificate (PEM) that its certificates chain to. */
  root(): Promise<string>;
  /** Called for each call; by default, every call is forwarded. */
  outcomeOf: (method: string, path: string) => CallOutcome | Promise<CallOutcome>;
}

interface AuthorityOptions {
  /** The percentage of valid nonces that are rejected. */
  readonly refusedNonces?: number;
  readonly externalAccount?: { readonly id: string; readonly key: string };
}

/** Starts Pebble, the name server that it queries, and a proxy in front of it that can drop responses. */
export async function startAuthority(options: AuthorityOptions = {}): Promise<Authority> {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-acme-'));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const serverCertificate = selfSigned('localhost');
  const names: Names = {};
  const dns: NameServer = await startNameServer(zoneOf(names));
  const [listen = 0, management = 0, tlsPort = 0, httpPort = 0] = freePorts(4);
  const { externalAccount } = options;
  const config = file(
    'pebble.json',
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${listen}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate: file('own.crt', serverCertificate.certificate),
        privateKey: file('own.key', serverCertificate.key),
        httpPort,
        tlsPort,
        ocspResponderURL: '',
        externalAccountBindingRequired: externalAccount !== undefined,
        externalAccountMACKeys:
          externalAccount === undefined ? {} : { [externalAccount.id]: externalAccount.key },
      },
    }),
  );
  const child = Bun.spawn([pebble ?? '', '-config', config, '-dnsserver', dns.address], {
    env: {
      PEBBLE_VA_NOSLEEP: '1',
      PEBBLE_WFE_NONCEREJECT: String(options.refusedNonces ?? 0),
      PEBBLE_AUTHZREUSE: '0',
    },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const calls: string[] = [];
  const contacts: unknown[] = [];
  const anyCertificate = { tls: { rejectUnauthorized: false } };
  const proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { cert: serverCertificate.certificate, key: serverCertificate.key },
    async fetch(request) {
      const { pathname } = new URL(request.url);
      calls.push(`${request.method} ${pathname}`);
      const outcome = await authority.outcomeOf(request.method, pathname);
      if (outcome instanceof Response) return outcome;
      const body = request.method === 'POST' ? { body: await request.text() } : {};
      // Pebble builds the URLs in its responses from the Host header.
      const response = await fetch(`https://127.0.0.1:${listen}${pathname}`, {
        method: request.method,
        headers: request.headers,
        ...body,
        ...anyCertificate,
      });
      if (pathname === '/sign-me-up' && response.ok) contacts.push(contactIn(body.body));
      if (outcome === 'passed') return response;
      await response.arrayBuffer();
      return new Response(null, { status: 502, headers: { 'content-type': 'text/plain' } });
    },
  });
  await eventually(
    () =>
      fetch(`https://127.0.0.1:${listen}/dir`, anyCertificate).then(
        ({ ok }) => ok,
        () => false,
      ),
    'the authority to respond',
  );
  const authority: Authority = {
    names,
    tlsPort,
    httpPort,
    calls,
    contacts,
    outcomeOf: () => 'passed',
    root: async () => (await fetch(`https://127.0.0.1:${management}/roots/0`, anyCertificate)).text(),
    settings: {
      ACME_URL: `https://localhost:${proxy.port}/dir`,
      ACME_CA: join(folder, 'own.crt'),
      HTTPS: 'auto',
      HOST: '127.0.0.1',
      DNS_SERVERS: dns.address,
      ...(externalAccount === undefined
        ? {}
        : { ACME_EAB_KID: externalAccount.id, ACME_EAB_KEY: externalAccount.key }),
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
      await proxy.stop(true);
      await dns.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return authority;
}

function contactIn(message = ''): unknown {
  const { payload } = JSON.parse(message) as { payload: string };
  return JSON.parse(Buffer.from(payload, 'base64url').toString()).contact;
}

export interface AutoApp extends AsyncDisposable {
  readonly app: TestApp;
  readonly inner: App;
  /** The URL of its PostgreSQL database; empty for SQLite. */
  readonly databaseUrl: string;
  readonly lines: (event?: string) => Record<string, unknown>[];
}

/** The app with certificates from the authority. It listens on the ports that challenges are validated on, unless `elsewhere`. */
export async function startAutoApp(
  authority: Authority,
  {
    env = {},
    overrides = {},
    store = 'sqlite',
    onFreePorts: elsewhere = false,
  }: {
    env?: Record<string, string>;
    overrides?: Overrides;
    store?: StoreKind;
    onFreePorts?: boolean;
  } = {},
): Promise<AutoApp> {
  const logged: string[] = [];
  const app = await startApp({
    store,
    env: {
      ...authority.settings,
      BASE_URL: `https://${ownHost}`,
      PORT: elsewhere ? '0' : String(authority.tlsPort),
      HTTP_PORT: elsewhere ? '0' : String(authority.httpPort),
      ...env,
    },
    overrides: {
      issueInterval: 20,
      handshakeTimeout: scaledToLoad(5_000),
      domainInterval: 20,
      log: new Log('info', (line) => void logged.push(line)),
      ...overrides,
    },
  });
  return {
    app,
    inner: app.app,
    databaseUrl: app.databaseUrl,
    lines: (event) =>
      logged
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((line) => event === undefined || line.event === event),
    [Symbol.asyncDispose]: () => app.stop(),
  };
}
