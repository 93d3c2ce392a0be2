import { Database as Sqlite } from 'bun:sqlite';
import { join } from 'node:path';
import { connect } from './postgres-source.ts';

/** The setting with the instant of the last complete backup. */
export const lastBackup = 'last_backup_at';

/** Stores the time of a backup, for reports. A failure is ignored: a store that can't be written to can still be backed up. */
export async function noteBackup(databaseUrl: string | null, dataDir: string, at: number): Promise<void> {
  const sql = (value: string) =>
    `insert into settings (key, value) values ('${lastBackup}', ${value}) on conflict (key) do update set value = excluded.value`;
  try {
    if (databaseUrl === null) {
      using database = new Sqlite(join(dataDir, 'linnet.sqlite'), { readwrite: true });
      database.run('pragma busy_timeout = 5000');
      database.query(sql('?')).run(String(at));
    } else {
      await using client = await connect(databaseUrl);
      await client.query(sql('$1'), [String(at)]);
    }
  } catch {
    // It is only informative.
  }
}
