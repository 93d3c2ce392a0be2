/**
 * ClickHouse in this process, behind the part of its HTTP interface that Linnet uses. It runs in its own process,
 * because the library takes a quarter of a gigabyte, and its crash must not end the tests.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Answer {
  /** Seconds. */
  readonly elapsed: number;
  readonly rowsRead: number;
  text(): string;
}

/** The part of the library that is used. It is installed only for these tests, so its own types aren't available. */
interface Library {
  readonly Session: new (
    folder: string,
  ) => {
    queryAsync(sql: string, options?: { format: string }): Promise<Answer>;
  };
}

/** The argument is the folder that the library is installed in. */
const [, , installed = ''] = process.argv;
const { Session } = createRequire(join(installed, 'package.json'))('chdb') as Library;
const folder = mkdtempSync(join(tmpdir(), 'linnet-clickhouse-'));
const session = new Session(join(folder, 'data'));
const file = join(folder, 'body');
// `create table` has no clause for this setting.
await session.queryAsync('set allow_suspicious_low_cardinality_types = 1');

/** URL parameters that aren't settings of a statement. */
const ownNames = new Set([
  'database',
  'query',
  'wait_end_of_query',
  'cancel_http_readonly_queries_on_client_close',
]);
const parts = /^(insert into .*?)( select .*| format native)$/is;

async function answer(parameters: URLSearchParams, body: Uint8Array): Promise<Answer> {
  const settings = [...parameters].filter(([name]) => !ownNames.has(name));
  const settingsText = settings
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`)
    .join(', ');
  const database = parameters.get('database');
  if (database) await session.queryAsync(`use ${database}`);
  const query = parameters.get('query');
  if (query === null)
    return session.queryAsync(withSettings(Buffer.from(body).toString(), settingsText), {
      format: 'JSONEachRow',
    });
  // The library takes statements as text only, so a binary body is read from a file.
  const [, head = ''] = parts.exec(query) ?? [];
  const columns = /\((.*)\)/.exec(head)?.[1] ?? '*';
  writeFileSync(file, body);
  return session.queryAsync(
    `${head} settings ${settingsText} select ${columns} from file('${file}', 'Native')`,
  );
}

/** Where a statement's settings go depends on its kind. */
function withSettings(statement: string, set: string): string {
  if (set === '') return statement;
  if (/^insert into .* values /is.test(statement))
    return statement.replace(/ values /i, ` settings ${set} values `);
  if (/^select/i.test(statement.trim())) return statement.replace(/ format \w+$/, ` settings ${set}$&`);
  return /^(delete|alter)/i.test(statement) ? `${statement} settings ${set}` : statement;
}

/** `use` applies to the whole session, so statements run one at a time. */
let previous: Promise<unknown> = Promise.resolve();
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = previous.then(work);
  previous = result.catch(() => {});
  return result;
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const body = new Uint8Array(await request.arrayBuffer());
    try {
      const result = await inTurn(() => answer(new URL(request.url).searchParams, body));
      const summary = {
        read_rows: String(result.rowsRead),
        elapsed_ns: String(Math.round(result.elapsed * 1e9)),
      };
      return new Response(result.text(), { headers: { 'X-ClickHouse-Summary': JSON.stringify(summary) } });
    } catch (cause) {
      const text = (cause as Error).message;
      const code = /Code: (\d+)/.exec(text)?.[1] ?? '0';
      return new Response(text, { status: 500, headers: { 'X-ClickHouse-Exception-Code': code } });
    }
  },
});
process.stdout.write(`${server.port}\n`);
// Exits with its parent.
process.stdin.on('end', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
process.stdin.resume();
