import { expect } from 'bun:test';
import { updateCertificate } from '../../src/storage/certificates.ts';
import { type Authority, type AutoApp, ownHost, startAuthority, startAutoApp, visitor } from './acme.ts';
import type { TestApp } from './app.ts';
import { secureSocket } from './tls-app.ts';

export const ownAddress = ['127.0.0.1'];

/** The name and the serial number of the certificate that a visitor gets. */
interface ServedCertificate {
  readonly name: string;
  readonly serial: string;
}

async function servedCertificate(app: TestApp, servername: string): Promise<ServedCertificate> {
  const socket = await secureSocket(app, { servername, ...visitor });
  const { subjectaltname = '', serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return { name: subjectaltname, serial: serialNumber };
}

/** An app with certificates from an authority, for several tests with a host each. */
export class CertificateFixture implements AsyncDisposable {
  readonly authority: Authority;
  readonly auto: AutoApp;
  readonly key: string;

  private constructor(authority: Authority, auto: AutoApp, key: string) {
    this.authority = authority;
    this.auto = auto;
    this.key = key;
  }

  static async start(): Promise<CertificateFixture> {
    // This authority refuses some valid nonces, as authorities may.
    const authority = await startAuthority({ refusedNonces: 30 });
    authority.names[ownHost] = { A: ownAddress };
    const auto = await startAutoApp(authority);
    // Until there is a certificate, calls fail.
    expect((await servedCertificate(auto.app, ownHost)).name).toBe(`DNS:${ownHost}`);
    const { key } = await auto.app.createAccount();
    return new CertificateFixture(authority, auto, key);
  }

  get app(): TestApp {
    return this.auto.app;
  }

  servedCertificate(servername: string): Promise<ServedCertificate> {
    return servedCertificate(this.app, servername);
  }

  async verifiedDomain(domain: string, address: readonly string[] = ownAddress): Promise<number> {
    const { app, authority, key } = this;
    const created = await app.call('POST', '/api/v1/domain', { key, body: { domain } });
    authority.names[`_linnet.${domain}`] = { TXT: [created.json.records[0].value] };
    authority.names[domain] = { A: address };
    const { id } = created.json;
    expect((await app.call('POST', `/api/v1/domain/${id}/verify`, { key })).json.state).toBe('verified');
    return id;
  }

  /** The certificate as the Domains page shows it. */
  async certificateOf(host: string) {
    const domains = (await this.app.call('GET', '/api/v1/domain', { key: this.key })).json;
    return domains.find(({ domain }: { domain: string }) => domain === host).certificate;
  }

  ordersFor(host: string): number {
    return this.auto.lines('certificate issued').filter((line) => line.host === host).length;
  }

  failuresOf(host: string): Record<string, unknown>[] {
    return this.auto.lines('certificate not issued').filter((line) => line.host === host);
  }

  dueHosts() {
    return this.auto.inner.context.database.read
      .selectFrom('certificates')
      .select('host')
      .where('next_at', '<=', this.app.clock.now)
      .execute();
  }

  rowOf(host: string) {
    return this.auto.inner.context.database.read
      .selectFrom('certificates')
      .selectAll()
      .where('host', '=', host)
      .executeTakeFirstOrThrow();
  }

  updateRow(host: string, changes: Parameters<typeof updateCertificate>[2]): Promise<void> {
    return this.auto.inner.context.database.write((queries) => updateCertificate(queries, host, changes));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.auto[Symbol.asyncDispose]();
    await this.authority[Symbol.asyncDispose]();
  }
}
