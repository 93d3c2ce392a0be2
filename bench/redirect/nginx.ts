import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One link that everybody has, for contenders that know but one. */
export type Destination = { readonly SUFFIX: string; readonly LOCATION: string };

export interface Link {
  readonly suffix: string;
  readonly destination: string;
}

/** What nginx's map reads. */
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
  /** With them, so many processes each take connections of their own at the port. */
  readonly workers?: number | undefined;
  /** Files of a certificate and its key: then it speaks TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
}

/** nginx as one would set it up for this: a map from path to address, an access log, connections that stay open. */
export function writeNginxConfig({ folder, port, map, links, workers, tls }: NginxSetup): string {
  const file = join(folder, `nginx-${port}.conf`);
  const room = 2 ** Math.ceil(Math.log2(links * 2 + 1024));
  const ssl =
    tls === undefined
      ? ''
      : `ssl_certificate ${tls.certificate}; ssl_certificate_key ${tls.key}; ssl_protocols TLSv1.2 TLSv1.3;`;
  const sharing = workers === undefined ? '' : ' reuseport';
  writeFileSync(
    file,
    `worker_processes ${workers ?? 1};
pid ${folder}/nginx-${port}.pid;
error_log ${folder}/nginx-${port}.error.log;
events { worker_connections 4096; }
http {
  access_log ${folder}/nginx-${port}.access.log;
  keepalive_requests 1000000000;
  map_hash_max_size ${room};
  map_hash_bucket_size 1024;
  map $uri $to {
    default "";
    include ${map};
  }
  server {
    listen 127.0.0.1:${port} backlog=1024${sharing}${tls === undefined ? '' : ' ssl'};
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
