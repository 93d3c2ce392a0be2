import type { Queries } from '../storage/schema.ts';

/** The number of a text; undefined for one that no hit ever had. The empty text is 0. */
export async function numberOfWord(queries: Queries, word: string): Promise<number | undefined> {
  if (word === '') return 0;
  const row = await queries.selectFrom('words').select('id').where('word', '=', word).executeTakeFirst();
  return row?.id;
}

const maxPerQuery = 1_000;

export async function wordsByNumber(
  queries: Queries,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (let start = 0; start < numbers.length; start += maxPerQuery) {
    const rows = await queries
      .selectFrom('words')
      .select(['id', 'word'])
      .where('id', 'in', numbers.slice(start, start + maxPerQuery))
      .execute();
    for (const { id, word } of rows) found.set(id, word);
  }
  return found;
}
