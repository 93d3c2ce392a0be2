import type { Shortcut } from '../shortcuts.ts';

/** Rows of a list that the user can step through by keys: each has one link or button that takes the focus. */
const rowsShown = (): readonly HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-row]')];

const focusRow = (row: HTMLElement | undefined): void => {
  row?.querySelector<HTMLElement>('[data-row-link]')?.focus();
};

/** The row that has the focus. */
export function focusedRow<Row extends { readonly id: number }>(rows: readonly Row[]): Row | undefined {
  const focused = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row;
  return rows.find(({ id }) => String(id) === focused);
}

const indexOfFocus = (rows: readonly HTMLElement[]): number =>
  rows.findIndex((row) => row.contains(document.activeElement));

function step(by: 1 | -1): void {
  const rows = rowsShown();
  const index = indexOfFocus(rows);
  focusRow(index < 0 ? rows.at(by === 1 ? 0 : -1) : rows[index + by]);
}

/** The keys that step through the rows; `what` names the content of a row. */
export const stepKeys = (what: string): readonly Shortcut[] => [
  { key: 'j', description: `Next ${what}`, act: () => step(1) },
  { key: 'k', description: `Previous ${what}`, act: () => step(-1) },
];

/** Moves the focus to a row that stays, before the rows with these ids are removed. */
export function moveFocusFrom(ids: ReadonlySet<number>): void {
  const rows = rowsShown();
  const index = indexOfFocus(rows);
  if (index < 0 || !ids.has(Number(rows[index]?.dataset.row))) return;
  const stays = (row: HTMLElement) => !ids.has(Number(row.dataset.row));
  focusRow(rows.slice(index).find(stays) ?? rows.slice(0, index).findLast(stays));
}

export const focusRowOf = (id: number): void =>
  focusRow(rowsShown().find((row) => row.dataset.row === String(id)));
