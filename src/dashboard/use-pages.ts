import { useSignal } from '@preact/signals';
import { useQuery } from './queries.ts';

interface Page {
  /** The cursor of the next one. */
  readonly next?: string | null;
}

type Load<P extends Page> = (cursor: string | undefined) => Promise<P>;

async function firstPages<P extends Page>(count: number, load: Load<P>): Promise<readonly P[]> {
  const pages: P[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await load(cursor ?? undefined);
    pages.push(page);
    cursor = page.next;
  } while (cursor && pages.length < count);
  return pages;
}

/** The first `count` pages of a list: one until the user asks for more. */
export function usePages<P extends Page>(key: string, load: Load<P>) {
  const count = useSignal(1);
  const query = useQuery(`${key}, ${count.value} pages`, () => firstPages(count.value, load));
  const showMore = () => {
    count.value += 1;
  };
  return { count, query, showMore };
}
