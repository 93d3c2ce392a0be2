import { useSignal } from '@preact/signals';
import type { TargetedFocusEvent } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Field, type FieldFrame } from '../../../parts/field.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { number } from '../../../words.ts';
import type { ValueChoice } from './value-choices.ts';

interface ValuePickerProps extends FieldFrame {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly choices: readonly ValueChoice[];
  /** The values in a typed text that is none of the choices; without it, only those can be chosen. */
  readonly read?: (typed: string) => readonly string[];
  /** How a value is shown that is none of the choices. */
  readonly nameOf?: (value: string) => string;
  /** The indexes of values that the API refused. */
  readonly refused?: readonly number[];
  readonly placeholder?: string;
}

/** Typing finds the rest. */
const maxShown = 50;

/** Those that begin with what is typed, or are its very code, and then those that have it elsewhere in their name. */
function likeliest(choices: readonly ValueChoice[], typed: string): readonly ValueChoice[] {
  const isFirst = ({ value, label }: ValueChoice) =>
    value.toLowerCase() === typed || label.toLowerCase().startsWith(typed);
  const others = choices.filter((choice) => !isFirst(choice) && choice.label.toLowerCase().includes(typed));
  return [...choices.filter(isFirst), ...others];
}

/** Values as chips, and a field beside them that finds more, or takes what is typed. */
export function ValuePicker({
  values,
  onChange,
  choices,
  read,
  nameOf = (value) => value,
  refused = [],
  placeholder = 'Add',
  ...frame
}: ValuePickerProps) {
  const words = useSignal('');
  const isOpen = useSignal(false);
  /** The index of the active option; -1 for none. */
  const at = useSignal(-1);
  const announced = useSignal('');
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();

  const typed = words.value.trim();
  const free = choices.filter(({ value }) => !values.includes(value));
  const found = typed === '' ? free : likeliest(free, typed.toLowerCase());
  const options: readonly ValueChoice[] = found.slice(0, maxShown);
  const choiceOf = (value: string): ValueChoice =>
    choices.find((choice) => choice.value === value) ?? { value, label: nameOf(value) };

  const close = () => {
    isOpen.value = false;
    at.value = -1;
  };
  const type = (text: string) => {
    words.value = text;
    at.value = text.trim() === '' || read ? -1 : 0;
    isOpen.value = true;
  };
  const add = (added: readonly string[]) => {
    const fresh = [...new Set(added)].filter((value) => !values.includes(value));
    if (fresh.length > 0) onChange([...values, ...fresh]);
    announced.value = `${fresh.map((value) => choiceOf(value).label).join(', ')} added`;
    type('');
  };
  const remove = (value: string) => {
    onChange(values.filter((other) => other !== value));
    announced.value = `${choiceOf(value).label} removed`;
    input.current?.focus();
  };
  const takeTyped = (): boolean => {
    if (!read || typed === '') return false;
    add(read(typed));
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const option = options[at.value];
    const last = values.at(-1);
    // Alt and an arrow move the rule.
    if (event.altKey) return;
    if (event.key === 'ArrowDown') {
      isOpen.value = true;
      at.value = Math.min(at.value + 1, options.length - 1);
    } else if (event.key === 'ArrowUp') at.value = Math.max(at.value - 1, 0);
    else if (event.ctrlKey || event.metaKey) {
      // What is typed is saved too.
      if (event.key === 's' || event.key === 'Enter') takeTyped();
      return;
    } else if (event.key === 'Enter' && isOpen.value && option) add([option.value]);
    else if (event.key === 'Enter' || event.key === ',') {
      if (!takeTyped() && typed === '') return;
    } else if (event.key === 'Escape' && isOpen.value) close();
    else if (event.key === 'Backspace' && words.value === '' && last !== undefined) remove(last);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocusOut = (event: TargetedFocusEvent<HTMLElement>) => {
    const to = event.relatedTarget;
    if (to instanceof Node && event.currentTarget.contains(to)) return;
    takeTyped();
    close();
  };

  return (
    <Field {...frame}>
      {(marks) => (
        <div class="tag-picker" onFocusOut={onFocusOut}>
          <div class="input tag-box" aria-invalid={marks['aria-invalid']}>
            {values.map((value, index) => {
              const { label, flag } = choiceOf(value);
              return (
                <span class={refused.includes(index) ? 'chip bad' : 'chip'} key={value}>
                  {flag && <span aria-hidden="true">{flag}</span>}
                  <span class="cut" dir="auto">
                    {label}
                  </span>
                  <button type="button" aria-label={`Remove ${label}`} onClick={() => remove(value)}>
                    <Icon name="close" size={14} />
                  </button>
                </span>
              );
            })}
            <input
              {...marks}
              ref={input}
              type="text"
              role="combobox"
              autocomplete="off"
              spellcheck={false}
              maxLength={500}
              aria-expanded={isOpen.value && options.length > 0}
              aria-controls={listId}
              aria-autocomplete="list"
              aria-activedescendant={isOpen.value && options[at.value] ? `${listId}-${at.value}` : undefined}
              placeholder={values.length === 0 ? placeholder : ''}
              value={words.value}
              onFocus={() => {
                isOpen.value = true;
              }}
              onClick={() => {
                isOpen.value = true;
              }}
              onInput={(event) => type(event.currentTarget.value)}
              onKeyDown={onKeyDown}
            />
          </div>
          <Options
            id={listId}
            label={frame.label}
            isOpen={isOpen.value && (options.length > 0 || !read)}
            options={options}
            at={at.value}
            hidden={found.length - options.length}
            onPoint={(index) => {
              at.value = index;
            }}
            onChoose={(value) => {
              add([value]);
              input.current?.focus();
            }}
          />
          <span class="unseen" role="status">
            {announced.value}
          </span>
        </div>
      )}
    </Field>
  );
}

interface OptionsProps {
  readonly id: string;
  readonly label: string;
  readonly isOpen: boolean;
  readonly options: readonly ValueChoice[];
  readonly at: number;
  /** How many options are not shown. */
  readonly hidden: number;
  readonly onPoint: (index: number) => void;
  readonly onChoose: (value: string) => void;
}

/** Below the field. A press on an option leaves the focus in the field. */
function Options({ id, label, isOpen, options, at, hidden, onPoint, onChoose }: OptionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <div class="tag-options" hidden={!isOpen} onMouseDown={(event) => event.preventDefault()}>
      <div role="listbox" id={id} aria-label={label} ref={list}>
        {isOpen &&
          options.map(({ value, label: name, flag }, index) => (
            <div
              key={value}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onMouseMove={() => onPoint(index)}
              onClick={() => onChoose(value)}
            >
              {flag !== undefined && (
                <span class="flag" aria-hidden="true">
                  {flag}
                </span>
              )}
              <span class="cut">{name}</span>
            </div>
          ))}
      </div>
      {options.length === 0 && <p class="soft small">Nothing else is called that.</p>}
      {hidden > 0 && <p class="soft small">{number(hidden)} more. Type to find one.</p>}
    </div>
  );
}
