import type { JobStore } from '../storage/database.ts';

/** The columns of chunks as a `ChunkScan` reads them, in memory. */
export function columnsInMemory(
  columns: Iterable<{ readonly key: number; readonly cells: Uint8Array }>,
): JobStore {
  const byKey = new Map(Array.from(columns, ({ key, cells }) => [key, { cells }]));
  return {
    rows: <Row>(_sql: string, [key]: readonly (number | string)[]) => {
      const column = byKey.get(Number(key));
      return (column === undefined ? [] : [column]) as Row[];
    },
    keepGoing() {},
  };
}
