/**
 * ClickHouse in this process, behind as much of its HTTP interface as Linnet uses. A process of its own: the library takes a
 * quarter of a gigabyte, and one that ends badly must not take the tests with it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is used of the library, which isn't there for who doesn't run these tests. */
interface Library {
  readonly Session: new (folder: string) => { query(sql: string, format?: string): string };
}

/** Given: the folder that the library was installed in. */
const [, , installed = ''] = process.argv;
const { Session } = createRequire(join(installed, 'package.json'))('chdb') as Library;
const folder = mkdtempSync(join(tmpdir(), 'linnet-clickhouse-'));
const session = new Session(join(folder, 'data'));
const file = join(folder, 'body');

/** Parameters of an address that are no settings of a statement. */
const ownNames = new Set([
  'database',
  'query',
  'wait_end_of_query',
  'cancel_http_readonly_queries_on_client_close',
]);
const parts = /^(insert into .*?)( select .*| format native)$/is;

function answer(parameters: URLSearchParams, body: Uint8Array): string {
  const settings = [...parameters].filter(([name]) => !ownNames.has(name));
  const set = settings.map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`).join(', ');
  const database = parameters.get('database');
  if (database) session.query(`use ${database}`);
  const query = parameters.get('query');
  if (query === null) return session.query(withSettings(Buffer.from(body).toString(), set), 'JSONEachRow');
  // The library takes statements as text: a body that is none comes from a file.
  const [, head = ''] = parts.exec(query) ?? [];
  const columns = /\((.*)\)/.exec(head)?.[1] ?? '*';
  writeFileSync(file, body);
  return session.query(`${head} settings ${set} select ${columns} from file('${file}', 'Native')`);
}

/** Statements have their settings at different places. */
function withSettings(statement: string, set: string): string {
  if (set === '') return statement;
  if (/^insert into .* values /is.test(statement))
    return statement.replace(/ values /i, ` settings ${set} values `);
  if (/^select/i.test(statement.trim())) return statement.replace(/ format \w+$/, ` settings ${set}$&`);
  return /^(delete|alter)/i.test(statement) ? `${statement} settings ${set}` : statement;
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const body = new Uint8Array(await request.arrayBuffer());
    try {
      return new Response(answer(new URL(request.url).searchParams, body));
    } catch (cause) {
      const text = (cause as Error).message;
      const code = /Code: (\d+)/.exec(text)?.[1] ?? '0';
      return new Response(text, { status: 500, headers: { 'X-ClickHouse-Exception-Code': code } });
    }
  },
});
process.stdout.write(`${server.port}\n`);
// It ends with those who started it.
process.stdin.on('end', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
process.stdin.resume();
