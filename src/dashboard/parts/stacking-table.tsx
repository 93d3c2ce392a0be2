import type { ComponentChildren } from 'preact';

interface StackingTableProps {
  /** The names of the columns; after them comes one for what can be done with a row. */
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}

/** A table of which the cells of a row stand below each other where there is no room beside. */
export function StackingTable({ columns, children }: StackingTableProps) {
  return (
    <div class="table-frame">
      <table class="table stacking">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
