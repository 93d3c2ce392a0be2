import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The one link of contenders that support only one. */
export type Destination = { readonly SUFFIX: string; readonly LOCATION: string };

export interface Link {
  readonly suffix: string;
  readonly destination: string;
}

/** Writes the file that nginx's map includes. */
export async function writeNginxMap(folder: string, links: readonly Link[]): Promise<string> {
  const map = join(folder, 'links.map');
  await Bun.write(map, links.map(({ suffix, destination }) => `/${suffix} "${destination}";\n`).join(''));
  return map;
}

export interface NginxSetup {
  readonly folder: string;
  readonly port: number;
  readonly map: string;
  readonly links: number;
  /** This many processes, each accepting its own connections on the port. */
  readonly workers?: number | undefined;
  /** The files of a certificate and its key; enables TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
}

/** A typical nginx configuration for this: a map from path to URL, an access log, and keep-alive connections. */
export function writeNginxConfig({ folder, port, map, links, workers, tls }: NginxSetup): string {
  const file = join(folder, `nginx-${port}.conf`);
  const hashSize = 2 ** Math.ceil(Math.log2(links * 2 + 1024));
  const ssl =
    tls === undefined
      ? ''
      : `ssl_certificate ${tls.certificate}; ssl_certificate_key ${tls.key}; ssl_protocols TLSv1.2 TLSv1.3;`;
  const reusePort = workers === undefined ? '' : ' reuseport';
  writeFileSync(
    file,
    `worker_processes ${workers ?? 1};
pid ${folder}/nginx-${port}.pid;
error_log ${folder}/nginx-${port}.error.log;
events { worker_connections 4096; }
http {
  access_log ${folder}/nginx-${port}.access.log;
  keepalive_requests 1000000000;
  map_hash_max_size ${hashSize};
  map_hash_bucket_size 1024;
  map $uri $to {
    default "";
    include ${map};
  }
  server {
    listen 127.0.0.1:${port} backlog=1024${reusePort}${tls === undefined ? '' : ' ssl'};
    ${ssl}
    location / {
      if ($to = "") { return 404; }
      add_header cache-control "private, no-store";
      return 302 $to;
    }
  }
}
`,
  );
  return file;
}
