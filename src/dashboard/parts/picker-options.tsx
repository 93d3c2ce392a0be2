import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { number } from '../format.ts';
import { setTo } from '../handlers.ts';

export interface PickerOption {
  readonly key: string | number;
  readonly content: ComponentChildren;
}

interface OptionListProps<Option extends PickerOption> {
  readonly id: string;
  readonly label: string;
  readonly options: readonly Option[];
  /** The index of the active one. */
  readonly activeIndex: Signal<number>;
  readonly onChoose: (option: Option) => void;
}

/** The options of a combobox. Pressing one leaves the focus in the field. */
export function OptionList<Option extends PickerOption>({
  id,
  label,
  options,
  activeIndex,
  onChoose,
}: OptionListProps<Option>) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex.value]);
  return (
    <div role="listbox" id={id} aria-label={label} ref={list} onMouseDown={(event) => event.preventDefault()}>
      {options.map((option, index) => (
        <div
          key={option.key}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === activeIndex.value}
          onMouseMove={setTo(activeIndex, index)}
          onClick={() => onChoose(option)}
        >
          {option.content}
        </div>
      ))}
    </div>
  );
}

interface PickerOptionsProps extends OptionListProps<PickerOption> {
  readonly isOpen: boolean;
  /** How many options are hidden. */
  readonly hidden: number;
  readonly emptyNote: string | null;
  readonly problem: ComponentChildren;
}

/** The options of a picker, below its field. */
export function PickerOptions({ isOpen, options, hidden, emptyNote, problem, ...list }: PickerOptionsProps) {
  return (
    <div class="picker-options" hidden={!isOpen} onMouseDown={(event) => event.preventDefault()}>
      {problem}
      <OptionList options={isOpen ? options : []} {...list} />
      {options.length === 0 && emptyNote !== null && <p class="soft small">{emptyNote}</p>}
      {hidden > 0 && <p class="soft small">{number(hidden)} more. Type to find one.</p>}
    </div>
  );
}
