import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icons.tsx';

interface SearchFieldProps {
  readonly id: string;
  readonly label: string;
  /** The current filter of the list. */
  readonly words: string;
  /** Called once typing has paused. */
  readonly onWords: (words: string) => void;
}

const pause = 150;
export const maxQueryLength = 200;

/** Filters a list while the user types; Escape empties it. */
export function SearchField({ id, label, words, onWords }: SearchFieldProps) {
  const typed = useSignal(words);
  const reported = useRef(words);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // Only if a button or the browser's Back changed the filter, and not typing in this field.
    if (words === reported.current) return;
    clearTimeout(timer.current);
    typed.value = words;
    reported.current = words;
  }, [words]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string, wait = pause) => {
    typed.value = text;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const trimmed = text.trim();
      if (trimmed === reported.current) return;
      reported.current = trimmed;
      onWords(trimmed);
    }, wait);
  };
  return (
    <div class="search-field">
      <label class="unseen" for={id}>
        {label}
      </label>
      <Icon name="search" />
      <input
        id={id}
        class="input"
        type="search"
        placeholder={label}
        autocomplete="off"
        spellcheck={false}
        maxLength={maxQueryLength}
        value={typed.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.isComposing) return;
          event.preventDefault();
          if (typed.value === '') event.currentTarget.blur();
          else type('', 0);
        }}
      />
      {typed.value === '' && (
        <span class="search-key" aria-hidden="true">
          <kbd>/</kbd>
        </span>
      )}
    </div>
  );
}
