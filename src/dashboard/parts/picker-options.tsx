import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { number } from '../format.ts';

export interface PickerOption {
  readonly key: string | number;
  readonly content: ComponentChildren;
}

interface PickerOptionsProps {
  readonly id: string;
  readonly label: string;
  readonly isOpen: boolean;
  readonly options: readonly PickerOption[];
  /** The index of the active one. */
  readonly activeIndex: number;
  /** How many options are hidden. */
  readonly hidden: number;
  readonly emptyNote: string | null;
  readonly problem: ComponentChildren;
  readonly onPoint: (index: number) => void;
  readonly onChoose: (option: PickerOption) => void;
}

/** The options of a picker, below its field. Pressing one leaves the focus in the field. */
export function PickerOptions({
  id,
  label,
  isOpen,
  options,
  activeIndex,
  hidden,
  emptyNote,
  problem,
  onPoint,
  onChoose,
}: PickerOptionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex]);
  return (
    <div class="picker-options" hidden={!isOpen} onMouseDown={(event) => event.preventDefault()}>
      {problem}
      <div role="listbox" id={id} aria-label={label} ref={list}>
        {isOpen &&
          options.map((option, index) => (
            <div
              key={option.key}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === activeIndex}
              onMouseMove={() => onPoint(index)}
              onClick={() => onChoose(option)}
            >
              {option.content}
            </div>
          ))}
      </div>
      {options.length === 0 && emptyNote !== null && <p class="soft small">{emptyNote}</p>}
      {hidden > 0 && <p class="soft small">{number(hidden)} more. Type to find one.</p>}
    </div>
  );
}
