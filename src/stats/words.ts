import type { Queries } from '../storage/schema.ts';

/** The id of a word; undefined if no hit ever had it. The empty word has the id 0. */
export async function idOfWord(queries: Queries, word: string): Promise<number | undefined> {
  if (word === '') return 0;
  const row = await queries.selectFrom('words').select('id').where('word', '=', word).executeTakeFirst();
  return row?.id;
}

const maxPerQuery = 1_000;

export async function wordsById(
  queries: Queries,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (let start = 0; start < ids.length; start += maxPerQuery) {
    const rows = await queries
      .selectFrom('words')
      .select(['id', 'word'])
      .where('id', 'in', ids.slice(start, start + maxPerQuery))
      .execute();
    for (const { id, word } of rows) found.set(id, word);
  }
  return found;
}
