import { join } from 'node:path';

/** One link that everybody has, for contenders that know but one. */
export type Destination = { readonly SUFFIX: string; readonly LOCATION: string };

export interface Link {
  readonly suffix: string;
  readonly destination: string;
}

/** nginx as one would set it up for this: a map from path to address, an access log, connections that stay open. */
export async function writeNginxConfig(
  folder: string,
  port: number,
  links: readonly Link[],
): Promise<string> {
  const map = join(folder, 'links.map');
  await Bun.write(map, links.map(({ suffix, destination }) => `/${suffix} "${destination}";\n`).join(''));
  const file = join(folder, `nginx-${port}.conf`);
  const room = 2 ** Math.ceil(Math.log2(links.length * 2 + 1024));
  await Bun.write(
    file,
    `worker_processes 1;
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
    listen 127.0.0.1:${port} backlog=1024;
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
