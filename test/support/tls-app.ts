import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { Overrides } from '../../src/app.ts';
import { startApp, type TestApp, type TestResponse } from './app.ts';
import { selfSigned } from './certificate.ts';

export const secureHost = 'links.example.com';

export interface TlsApp extends AsyncDisposable {
  readonly app: TestApp;
  /** Everything logged since the start. */
  readonly lines: () => Record<string, unknown>[];
  /** The paths in TLS_CERT and TLS_KEY. */
  readonly files: { readonly certificate: string; readonly key: string };
  /** Replaces the certificate and key files with new ones. */
  renew(host?: string): void;
  /** A request to the port without TLS. */
  plain(path: string, init?: RequestInit): Promise<TestResponse>;
}

/** The app with HTTPS from files, and a second port without TLS. */
export async function startTlsApp(
  env: Record<string, string> = {},
  overrides: Overrides = {},
): Promise<TlsApp> {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-tls-'));
  const files = { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  const renew = (host = secureHost) => {
    const created = selfSigned(host);
    writeFileSync(files.key, created.key);
    writeFileSync(files.certificate, created.certificate);
  };
  renew();
  const { Log } = await import('../../src/telemetry/log.ts');
  const logged: string[] = [];
  const app = await startApp({
    env: {
      HTTPS: 'files',
      TLS_CERT: files.certificate,
      TLS_KEY: files.key,
      HTTP_PORT: '0',
      HOST: '127.0.0.1',
      BASE_URL: `https://${secureHost}`,
      ...env,
    },
    overrides: {
      certificateInterval: 10,
      log: new Log('info', (line) => void logged.push(line)),
      ...overrides,
    },
  });
  return {
    app,
    files,
    renew,
    lines: () => logged.map((line) => JSON.parse(line)),
    async plain(path, init = {}) {
      const response = await fetch(`http://127.0.0.1:${app.app.httpPort}${path}`, {
        redirect: 'manual',
        ...init,
        headers: { host: secureHost, ...(init.headers as Record<string, string>) },
      });
      return {
        status: response.status,
        headers: response.headers,
        text: await response.text(),
        json: undefined,
      };
    },
    async [Symbol.asyncDispose]() {
      await app.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type SocketOptions = Partial<Omit<ConnectionOptions, 'host' | 'port'>> & { readonly localAddress?: string };

/** A connection that has completed its handshake. */
export function secureSocket({ app }: TestApp, options: SocketOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port: app.port,
      rejectUnauthorized: false,
      servername: secureHost,
      ...options,
    });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** The session ticket with which a client resumes. With TLS 1.3 it is sent along with the first response. */
export async function sessionOf(app: TestApp, options: SocketOptions): Promise<Buffer> {
  const socket = await secureSocket(app, options);
  const session = once(socket, 'session');
  socket.write(`GET /healthz HTTP/1.1\r\nHost: ${options.servername ?? secureHost}\r\n\r\n`);
  const [found] = await session;
  socket.destroy();
  return found;
}

export async function isResumed(app: TestApp, session: Buffer, options: SocketOptions): Promise<boolean> {
  const socket = await secureSocket(app, { ...options, session });
  const isReused = socket.isSessionReused();
  socket.destroy();
  return isReused;
}
