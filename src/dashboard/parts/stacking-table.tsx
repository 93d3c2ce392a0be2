import type { ComponentChildren } from 'preact';

interface StackingTableProps {
  /** The names of the columns; a column of actions follows them. */
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}

/** A table whose cells are stacked in each row on narrow screens. */
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
