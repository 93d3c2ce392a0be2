import type { Database } from '../../../storage/database.ts';
import {
  answerSaltRequest,
  deleteSaltRequest,
  openSaltRequests,
  saltMark,
} from '../../../storage/visitor-salts.ts';
import type { SaltFolder } from './salt-folder.ts';
import { markOf, sealSalt } from './salt-seal.ts';

/** More than there are nodes. */
const maxAtOnce = 200;

/** Answers the requests of other nodes for salts that this node has. */
export async function answerSaltRequests(database: Database, folder: SaltFolder, key: string): Promise<void> {
  for (const { day, public_key, proof } of await openSaltRequests(database.read, maxAtOnce)) {
    const salt = folder.find(day);
    // A salt that this node used alone is not the day's: the node that has the day's salt answers.
    if (salt === null || markOf(day, salt) !== (await saltMark(database.read, day))) continue;
    const sealed = sealSalt(key, { day, publicKey: public_key, proof }, salt);
    await database.write((queries) =>
      sealed === null
        ? deleteSaltRequest(queries, public_key)
        : answerSaltRequest(queries, public_key, sealed),
    );
  }
}
