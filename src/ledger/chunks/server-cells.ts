import type { JobStore } from '../../storage/database.ts';
import { type CachedCells, CellCache } from './cell-cache.ts';
import type { ChunkRow } from './chunk-scan.ts';
import type { ChunkCells } from './chunk-store.ts';

export type Copy = NonNullable<JobStore['copy']>;

const megabyte = 2 ** 20;
/**
 * For each thread that counts. Compressed, they hold most columns of ten million hits; decompressed, three of them. Columns must not
 * evict tallies, which are small and needed by each page.
 */
const columns = new CellCache({ compressed: 40 * megabyte, decompressed: 32 * megabyte });
const tallies = new CellCache({ compressed: 4 * megabyte, decompressed: 12 * megabyte });

/** Must be called before each query. */
export function beginQuery(): void {
  columns.begin();
  tallies.begin();
}

const cacheFor = (name: string): CellCache => (name.startsWith('t_') ? tallies : columns);

const keyOf = ({ id, version }: ChunkRow, name: string): string => `${id} ${version} ${name}`;

/** Cells of one organization's chunks on a server: the named ones of each chunk, read if this thread hasn't cached them. */
export async function readCells(
  copy: Copy,
  chunks: readonly ChunkRow[],
  namesFor: (chunk: ChunkRow) => readonly string[],
): Promise<ChunkCells> {
  const found = new Map<string, readonly [key: string, kept: CachedCells]>();
  const missing = Map.groupBy(chunks, (chunk) =>
    namesFor(chunk)
      .filter((name) => {
        const key = keyOf(chunk, name);
        const kept = cacheFor(name).get(key);
        if (kept !== undefined) found.set(`${chunk.id} ${name}`, [key, kept]);
        return kept === undefined;
      })
      .join(', '),
  );
  for (const [names, some] of missing) {
    if (names === '') continue;
    const byId = new Map(some.map((chunk) => [chunk.id, chunk]));
    await copy(selectOf(names, some), ([idField = null, ...fields]) => {
      const chunk = byId.get(idIn(idField));
      if (chunk === undefined) return;
      for (const [index, name] of names.split(', ').entries()) {
        const key = keyOf(chunk, name);
        found.set(`${chunk.id} ${name}`, [key, cacheFor(name).add(key, fields[index]?.slice() ?? null)]);
      }
    });
  }
  const cellsOf = (chunk: number, name: string): Uint8Array | undefined => {
    const entry = found.get(`${chunk} ${name}`);
    // A column that wasn't read must not be mistaken for one that the chunk doesn't have.
    if (entry === undefined) throw new Error(`chunk ${chunk} was read without ${name}, or is gone`);
    return cacheFor(name).decompressed(...entry);
  };
  return {
    column: (chunk, column) => cellsOf(chunk, `c_${column}`),
    tally: (chunk, column) => cellsOf(chunk, `t_${column}`),
  };
}

/** The range of instants limits the query to the partitions of these chunks. */
function selectOf(names: string, chunks: readonly ChunkRow[]): string {
  const instants = chunks.map(({ first_at }) => first_at);
  const [from, to] = [Math.min(...instants), Math.max(...instants)].map(Math.floor);
  return `select id, ${names} from hit_chunks where organization_id = ${Math.floor(chunks[0]?.organization_id ?? 0)}
    and first_at between ${from} and ${to} and id in (${chunks.map(({ id }) => Math.floor(id)).join(', ')})`;
}

const idIn = (field: Uint8Array | null): number =>
  field === null ? 0 : Number(new DataView(field.buffer, field.byteOffset, field.byteLength).getBigInt64(0));
