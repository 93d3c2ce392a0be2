import { createHash } from 'node:crypto';
import type { Secrets } from '../auth/secrets.ts';
import type { Database } from '../storage/database.ts';
import { claimSetting, findSetting, replaceSetting } from '../storage/settings.ts';
import { newKeyPair, pemOf } from './signed.ts';

export interface Account {
  /** PEM. */
  readonly key: string;
  /** Its address at the authority; null until it exists. */
  readonly account: string | null;
}

/** The setting that stores the account: all nodes share it, and it is kept while another authority is in use. */
const keyOf = (url: string, id: string): string =>
  `acme_account ${createHash('sha256').update(`${url} ${id}`).digest('base64url').slice(0, 22)}`;

export class Accounts {
  readonly #database: Database;
  readonly #secrets: Secrets;
  readonly #setting: string;

  constructor(database: Database, secrets: Secrets, url: string, externalId: string | null) {
    this.#database = database;
    this.#secrets = secrets;
    this.#setting = keyOf(url, externalId ?? '');
  }

  /** The stored account. If two nodes create one at the same time, both get the first. */
  async find(): Promise<Account> {
    const stored = await this.#read();
    if (stored !== null) return stored;
    const created = this.#sealed({ key: pemOf(newKeyPair()), account: null });
    await this.#database.write((queries) => claimSetting(queries, this.#setting, created));
    const found = await this.#read();
    if (found !== null) return found;
    // It was sealed with a key that no longer exists: a new account costs nothing.
    await this.#database.write((queries) => replaceSetting(queries, this.#setting, created));
    return (await this.#read()) as Account;
  }

  async keep(account: Account): Promise<void> {
    await this.#database.write((queries) => replaceSetting(queries, this.#setting, this.#sealed(account)));
  }

  #sealed(account: Account): string {
    return this.#secrets.seal(JSON.stringify(account));
  }

  async #read(): Promise<Account | null> {
    const sealed = await findSetting(this.#database.read, this.#setting);
    const text = sealed === null ? null : this.#secrets.open(sealed);
    return text === null ? null : (JSON.parse(text) as Account);
  }
}
