import { join } from 'node:path';

const page = join(import.meta.dir, '../../docs/operations.md');

/** The metrics in the table of docs/operations.md. */
export async function documentedMetrics(): Promise<Set<string>> {
  const text = await Bun.file(page).text();
  const table = text.slice(text.indexOf('\n## Metrics\n'), text.indexOf('\n## Alerts\n'));
  const cells = [...table.matchAll(/^\| (`linnet_[^|]*) \|/gm)].map(([, cell]) => cell ?? '');
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`(linnet_\w+)/g)].map(([, name]) => name ?? '')));
}
