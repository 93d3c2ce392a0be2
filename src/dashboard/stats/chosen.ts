/** The filter of a board of all links, in the API's form. */
export interface Chosen {
  /** Ids of tags, separated by commas: links that have all of them. */
  readonly tag?: string;
  readonly domain?: string;
  /** Ids of links, separated by commas. */
  readonly ids?: string;
}

export const idsIn = (list: string | undefined): readonly number[] =>
  (list ?? '').split(',').filter(isId).map(Number);

const isId = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text);

/** The maximums of one call. */
export const maxTags = 10;
const maxLinks = 1_000;

export function chosenIn(search: string): Chosen {
  const query = new URLSearchParams(search);
  const list = (name: string, max: number) =>
    idsIn(query.get(name) ?? '')
      .slice(0, max)
      .join(',');
  const [tag, ids, domain] = [list('tag', maxTags), list('ids', maxLinks), query.get('domain') ?? ''];
  return { ...(tag && { tag }), ...(ids && { ids }), ...(domain && { domain }) };
}

export const hasSelection = (chosen: Chosen): boolean => Object.keys(chosen).length > 0;
