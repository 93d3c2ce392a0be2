import { useRef } from 'preact/hooks';
import type { Selection } from './selection.ts';

interface RowCheckboxProps {
  readonly what: string;
  readonly isChosen: boolean;
  /** `upToHere` with the shift key: toggles all rows up to this one. */
  readonly onToggle: (upToHere: boolean) => void;
}

/** Chooses one row of a list. */
export function RowCheckbox({ what, isChosen, onToggle }: RowCheckboxProps) {
  const withShift = useRef(false);
  return (
    <label
      class="pick"
      onMouseDown={(event) => {
        withShift.current = event.shiftKey;
        // The browser would also select the text between the rows.
        if (event.shiftKey) event.preventDefault();
      }}
    >
      <input
        type="checkbox"
        aria-label={`Select ${what}`}
        checked={isChosen}
        onChange={() => {
          onToggle(withShift.current);
          withShift.current = false;
        }}
      />
    </label>
  );
}

interface AllRowsProps<Row extends { readonly id: number }> {
  /** After "Select all ". */
  readonly what: string;
  readonly rows: readonly Row[];
  readonly selection: Selection<Row>;
}

/** Chooses all rows that are shown. */
export function AllRowsCheckbox<Row extends { readonly id: number }>({
  what,
  rows,
  selection,
}: AllRowsProps<Row>) {
  const chosen = rows.filter((row) => selection.has(row)).length;
  return (
    <label class="pick">
      <input
        type="checkbox"
        aria-label={`Select all ${what}`}
        title={`Select all ${what}`}
        checked={rows.length > 0 && chosen === rows.length}
        indeterminate={chosen > 0 && chosen < rows.length}
        onChange={(event) => selection.choose(rows, event.currentTarget.checked)}
      />
    </label>
  );
}
