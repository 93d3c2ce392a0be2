import { resolve } from 'node:path';
import { openReadOnlyStore } from '../backup/read-only-store.ts';
import type { Config } from '../config/options.ts';
import { Dns } from '../domains/dns.ts';
import { StartProblem } from '../start-problem.ts';
import { recordsFor } from './dns-notice.ts';

type Settings = Pick<Config, 'https' | 'databaseUrl' | 'dataDir' | 'dnsServers'>;

/**
 * Throws a `StartProblem` for a host that doesn't exist in the DNS, and that never had a certificate on this server: no authority
 * would issue one. A server with a certificate starts whatever the DNS says, and so does one whose name servers don't answer.
 */
export async function refuseUnknownHost(
  host: string,
  config: Settings,
  ownAddresses: readonly string[],
): Promise<void> {
  if (config.https !== 'auto' || (await mayHaveCertificate(host, config))) return;
  const dns = new Dns(config.dnsServers);
  const found = await dns.addressesOf(host);
  dns.close();
  if (found === null || found.length > 0) return;
  const records = recordsFor(host, ownAddresses).map((record) => `"${record}"`);
  throw new StartProblem(
    `${host} is not in the DNS, so no authority gives it a certificate. Add ${records.join(' and ')} where its zone is kept, and start again.`,
  );
}

async function mayHaveCertificate(host: string, { databaseUrl, dataDir }: Settings): Promise<boolean> {
  try {
    await using store = await openReadOnlyStore(databaseUrl, resolve(dataDir));
    const rows = await store
      ?.query('select host from certificates where chain is not null')
      // A store of an earlier version has no such table.
      .catch(() => []);
    return rows?.some((row) => row.host === host) ?? false;
  } catch {
    // The start itself reports what is wrong with the store.
    return true;
  }
}
