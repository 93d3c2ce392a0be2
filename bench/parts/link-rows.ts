import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { linkHourColumns } from '../../src/ledger/fold-store.ts';
import { RowInsertions } from '../../src/ledger/stores/row-insertions.ts';
import { totals } from '../../src/ledger/stores/sql-fold-store.ts';
import { openDatabase } from '../../src/storage/open.ts';
import type { Effort } from '../effort.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import { seededRandom, zipf } from '../redirect/zipf.ts';
import { formatNumber, type Report } from '../table.ts';

const links = 1_000_000;
const clicksPerTransaction = [30_000, 120_000, 480_000];
const hour = 490_000;
const click = linkHourColumns.indexOf('click');

/**
 * What SQLite alone takes to write the rows of a million links' clicks, as the fold writes them: the hours and the totals of
 * links, by the clicks that share a transaction. It is the least that a fold with such transactions can take while these tables
 * stay as they are.
 */
export async function measureLinkRows({ folded }: Effort): Promise<Report> {
  const results = [];
  for (const clicks of clicksPerTransaction) results.push(await measure(clicks, folded));
  return {
    title: 'Rows of a million links, by Zipf’s law',
    columns: ['rows a click', 'µs of CPU a click'],
    rows: results.map(({ clicks, rows, cpu }) => [
      `${formatNumber(clicks)} clicks a transaction`,
      formatNumber(rows),
      formatNumber(cpu),
    ]),
    notes: [
      'A row of link_hours and one of link_clicks for each link; visitors, hits and the journal are left out.',
    ],
    figures: { links, results },
  };
}

async function measure(clicks: number, folded: number) {
  using folder = temporaryFolder();
  await (await openDatabase(null, folder.path, () => {})).close();
  using database = new Database(join(folder.path, 'linnet.sqlite'));
  for (const setting of ['synchronous = full', 'secure_delete = on', 'cache_size = -16000'])
    database.run(`pragma ${setting}`);
  database.run('pragma wal_autocheckpoint = 8000');
  const prepare = (text: string) => database.prepare(text);
  const hours = new RowInsertions(prepare, totals.linkHours, 0);
  const linkClicks = new RowInsertions(prepare, totals.linkClicks, 0);
  const random = seededRandom(clicks);
  const rankOf = zipf(links);
  const sum = { rows: 0, clicks: 0, cpu: 0 };
  const half = Math.max(folded, clicks);
  // The first half fills the tables.
  for (let done = 0; done < 2 * half; done += clicks) {
    const counts = new Map<number, number>();
    for (let n = 0; n < clicks; n++) {
      const link = idOf(rankOf(random()));
      counts.set(link, (counts.get(link) ?? 0) + 1);
    }
    const inOrder = [...counts].sort(([one], [other]) => one - other);
    const ids = Float64Array.from(inOrder, ([id]) => id);
    const numbers = Float64Array.from(inOrder, ([, count]) => count);
    const zeros = new Float64Array(ids.length);
    const columns = linkHourColumns.map((_, index) => (index === click ? numbers : zeros));
    columns[0] = ids;
    columns[1] = zeros.map(() => hour);
    // Nothing is appended: the fold merges texts that have grown.
    const texts = new Array<string>(ids.length).fill('');
    const before = process.cpuUsage();
    database.run('begin immediate');
    hours.insert([...columns, zeros, texts]);
    linkClicks.insert([ids, numbers, zeros.map(() => done)]);
    database.run('commit');
    const { user, system } = process.cpuUsage(before);
    if (done < half) continue;
    sum.rows += ids.length;
    sum.clicks += clicks;
    sum.cpu += user + system;
  }
  return { clicks, rows: sum.rows / sum.clicks, cpu: sum.cpu / sum.clicks };
}

/** Popular links lie anywhere among the others: a prime spreads the ranks over the ids. */
const idOf = (rank: number): number => ((rank * 611_953) % links) + 1;
