import { join } from 'node:path';

const docs = join(import.meta.dir, '..', 'docs');
const page = join(docs, 'performance.md');

/** The text between the markers of a section in docs/performance.md is generated from results; the rest is written by hand. */
const openMarker = (name: string): string => `<!-- measured: ${name} -->`;
const closeMarker = '<!-- end of measured -->';

export async function replaceSections(sections: Readonly<Record<string, string>>): Promise<void> {
  let text = await Bun.file(page).text();
  for (const [name, content] of Object.entries(sections)) {
    const start = text.indexOf(openMarker(name));
    const end = text.indexOf(closeMarker, start);
    if (start < 0 || end < 0) throw new Error(`docs/performance.md has no section "${openMarker(name)}"`);
    text = `${text.slice(0, start)}${openMarker(name)}\n\n${content.trim()}\n\n${text.slice(end)}`;
  }
  await Bun.write(page, text);
}

/** Writes a plot, and returns the Markdown that shows it. */
export async function writePlot(file: string, alt: string, svg: string): Promise<string> {
  await Bun.write(join(docs, 'plots', file), svg);
  return `![${alt}](plots/${file})`;
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
