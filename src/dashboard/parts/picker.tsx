import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { whenFocusLeaves } from '../handlers.ts';
import { Field, type FieldFrame } from './field.tsx';
import { Icon } from './icons.tsx';
import { type PickerOption, PickerOptions } from './picker-options.tsx';

interface PickerChip {
  readonly key: string | number;
  readonly label: string;
  /** Shown beside the label, not read out. */
  readonly flag?: string | undefined;
  readonly isRefused?: boolean;
}

interface PickerProps extends FieldFrame {
  /** The typed text. */
  readonly words: Signal<string>;
  readonly chips: readonly PickerChip[];
  /** The options that match the typed text. */
  readonly options: readonly PickerOption[];
  readonly listLabel: string;
  /** How many more options there are. */
  readonly hidden: number;
  /** Shown if there are no options; without it, no list is shown then. */
  readonly emptyNote: string | null;
  /** Whether the options are still loading: Enter chooses once they have loaded. */
  readonly isLoading?: boolean;
  /** Shown above the options: why they could not be loaded. */
  readonly problem?: ComponentChildren;
  /** Before a chip's name in the name of its button: "Remove tag spring". */
  readonly noun?: string;
  readonly placeholder: string;
  readonly maxLength: number;
  readonly onOpen?: () => void;
  readonly onType?: () => void;
  /** Returns what was added, for an announcement; null if nothing could be. */
  readonly onChoose: (option: PickerOption) => string | null | Promise<string | null>;
  readonly onRemove: (chip: PickerChip) => void;
  /** Accepts a typed text that is none of the options, and returns what was added. Without it, only options can be chosen. */
  readonly addTyped?: ((typed: string) => string) | undefined;
  /** The option that the typed text names: chosen when the field is left, or the form saved. */
  readonly named?: PickerOption | undefined;
}

/** The chosen values as chips, and a field beside them that finds more. */
export function Picker({
  words,
  chips,
  options,
  listLabel,
  hidden,
  emptyNote,
  isLoading = false,
  problem = null,
  noun = '',
  placeholder,
  maxLength,
  onOpen,
  onType,
  onChoose,
  onRemove,
  addTyped,
  named,
  ...frame
}: PickerProps) {
  const isOpen = useSignal(false);
  /** The index of the active option; -1 for none. */
  const activeIndex = useSignal(-1);
  /** Enter was pressed before the options had loaded: the active one is chosen once they have. */
  const isChoicePending = useSignal(false);
  const announced = useSignal('');
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const typed = words.value.trim();
  const isShown = isOpen.value && (options.length > 0 || emptyNote !== null || problem !== null);

  const open = () => {
    isOpen.value = true;
    onOpen?.();
  };
  const close = () => {
    isOpen.value = false;
    isChoicePending.value = false;
    activeIndex.value = -1;
  };
  const type = (text: string) => {
    words.value = text;
    activeIndex.value = text.trim() === '' || addTyped ? -1 : 0;
    isChoicePending.value = false;
    onType?.();
    open();
  };
  const choose = async (option: PickerOption) => {
    const before = words.value;
    const added = await onChoose(option);
    if (added !== null) {
      announced.value = `${added} added`;
      if (words.value === before) words.value = '';
    }
    // The user may have gone on to another field while a tag was being created.
    if (!input.current?.closest('.picker')?.contains(document.activeElement)) return;
    if (added !== null && words.value === '') type('');
    input.current.focus();
  };
  const remove = (chip: PickerChip) => {
    onRemove(chip);
    announced.value = `${chip.label} removed`;
    input.current?.focus();
  };
  const acceptTyped = (): boolean => {
    if (!addTyped || typed === '') return false;
    announced.value = `${addTyped(typed)} added`;
    type('');
    return true;
  };
  const finish = () => {
    if (named) void choose(named);
    else acceptTyped();
  };
  useEffect(() => {
    if (!isChoicePending.value || isLoading) return;
    isChoicePending.value = false;
    const option = options[activeIndex.value];
    if (option) void choose(option);
  }, [isLoading]);

  const onKeyDown = (event: KeyboardEvent) => {
    const option = options[activeIndex.value];
    const last = chips.at(-1);
    // Alt and an arrow key may move what contains the field, such as a rule. Keys of an input method, such as Enter, belong to it.
    if (event.altKey || event.isComposing) return;
    if (event.key === 'ArrowDown') {
      open();
      activeIndex.value = Math.min(activeIndex.value + 1, options.length - 1);
    } else if (event.key === 'ArrowUp') activeIndex.value = Math.max(activeIndex.value - 1, 0);
    else if (event.ctrlKey || event.metaKey) {
      // These keys save the form: typed text is added first, so that it is saved too.
      if (event.key.toLowerCase() === 's' || event.key === 'Enter') finish();
      return;
    } else if (event.key === 'Enter' && isOpen.value && option) void choose(option);
    else if (event.key === 'Enter' && typed !== '') {
      if (!acceptTyped()) {
        open();
        isChoicePending.value = isLoading;
      }
    } else if (event.key === ',' && addTyped && typed !== '') acceptTyped();
    else if (event.key === 'Escape' && isOpen.value) close();
    else if (event.key === 'Backspace' && words.value === '' && last) remove(last);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const leave = () => {
    finish();
    close();
  };

  return (
    <Field {...frame}>
      {(marks) => (
        <div class="picker" onFocusOut={whenFocusLeaves(leave)}>
          <div
            class="input picker-box wrapping"
            aria-invalid={marks['aria-invalid']}
            onMouseDown={(event) => {
              if (event.target !== event.currentTarget) return;
              event.preventDefault();
              input.current?.focus();
              open();
            }}
          >
            {chips.map((chip) => (
              <Chip key={chip.key} chip={chip} noun={noun} onRemove={() => remove(chip)} />
            ))}
            <input
              {...marks}
              ref={input}
              type="text"
              role="combobox"
              autocomplete="off"
              spellcheck={false}
              maxLength={maxLength}
              aria-expanded={isShown}
              aria-controls={listId}
              aria-autocomplete="list"
              aria-activedescendant={
                isShown && options[activeIndex.value] ? `${listId}-${activeIndex.value}` : undefined
              }
              placeholder={chips.length === 0 ? placeholder : ''}
              value={words.value}
              onFocus={open}
              onClick={open}
              onInput={(event) => type(event.currentTarget.value)}
              onKeyDown={onKeyDown}
            />
          </div>
          <PickerOptions
            id={listId}
            label={listLabel}
            isOpen={isShown}
            options={options}
            activeIndex={activeIndex}
            hidden={hidden}
            emptyNote={emptyNote}
            problem={problem}
            onChoose={(option) => void choose(option)}
          />
          <span class="unseen" role="status">
            {announced.value}
          </span>
        </div>
      )}
    </Field>
  );
}

interface ChipProps {
  readonly chip: PickerChip;
  readonly noun: string;
  readonly onRemove: () => void;
}

function Chip({ chip: { label, flag, isRefused }, noun, onRemove }: ChipProps) {
  return (
    <span class={isRefused ? 'chip bad' : 'chip'}>
      {flag && <span aria-hidden="true">{flag}</span>}
      <span class="cut" dir="auto">
        {label}
      </span>
      <button type="button" aria-label={`Remove ${noun && `${noun} `}${label}`} onClick={onRemove}>
        <Icon name="close" size={14} />
      </button>
    </span>
  );
}
