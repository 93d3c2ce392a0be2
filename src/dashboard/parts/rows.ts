/** Rows of a list that the keyboard walks through: each has one link or button that stands for it. */
const rowsShown = (): readonly HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-row]')];

const focusRow = (row: HTMLElement | undefined): void => {
  row?.querySelector<HTMLElement>('[data-row-link]')?.focus();
};

/** The id of the row that has the focus. */
export function rowAt(): number | null {
  const row = document.activeElement?.closest<HTMLElement>('[data-row]');
  return row ? Number(row.dataset.row) : null;
}

export function step(by: 1 | -1): void {
  const rows = rowsShown();
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  focusRow(at < 0 ? rows.at(by === 1 ? 0 : -1) : rows[at + by]);
}

/** Before rows go, the focus moves to one that stays. */
export function leaveRows(ids: ReadonlySet<number>): void {
  const rows = rowsShown();
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  if (at < 0 || !ids.has(Number(rows[at]?.dataset.row))) return;
  const stays = (row: HTMLElement) => !ids.has(Number(row.dataset.row));
  focusRow(rows.slice(at).find(stays) ?? rows.slice(0, at).findLast(stays));
}

export const focusRowOf = (id: number): void =>
  focusRow(rowsShown().find((row) => row.dataset.row === String(id)));
