import type { Database } from '../storage/database.ts';
import { minMigration } from '../storage/min-migration.ts';
import { adoptFormats, newestFormat } from '../storage/newer-formats.ts';
import { newestMigration } from '../storage/newest-migration.ts';
import type { Readiness } from './readiness.ts';
import { repeatWhileOpen } from './repeat-job.ts';
import type { Start } from './start.ts';

/** During a rolling upgrade a newer node may change the store so that this program is too old for it: `/readyz` then fails. */
export function watchVersion(start: Start, database: Database, readiness: Readiness): void {
  const { log, now } = start;
  let wasTooOld = false;
  const check = async () => {
    const least = (await minMigration(database.lookup)) ?? 0;
    const isTooOld = least > newestMigration;
    readiness.set('version', isTooOld ? 'too old for the database' : null);
    database.refuseChanges(isTooOld ? 'this node is too old for the database' : null);
    if (isTooOld && !wasTooOld)
      log.error(
        'too old for the database',
        new Error('upgrade this node: a newer one has changed the tables'),
        {
          knows: newestMigration,
          needs: least,
        },
      );
    wasTooOld = isTooOld;
    if (!isTooOld && (await adoptFormats(database, now()))) log.info('newer forms', { needs: newestFormat });
  };
  // The follower of the change feed already logs that the store is down.
  repeatWhileOpen(start, check, 'versionInterval');
}
