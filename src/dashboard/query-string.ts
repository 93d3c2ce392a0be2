/** The query string with some changes: null removes a parameter, an empty text stays. */
export function queryWith(search: string, changes: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(search);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) query.delete(key);
    else query.set(key, value);
  }
  return query.size > 0 ? `?${query}` : '';
}
