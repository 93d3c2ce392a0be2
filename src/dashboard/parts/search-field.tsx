import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icons.tsx';

interface SearchFieldProps {
  readonly id: string;
  readonly label: string;
  /** What the list is narrowed to. */
  readonly words: string;
  readonly maxLength?: number;
  /** Told after a short pause: not every letter is a question. */
  readonly onWords: (words: string) => void;
}

const pause = 150;

/** Narrows a list as one types; Escape empties it. */
export function SearchField({ id, label, words, maxLength = 200, onWords }: SearchFieldProps) {
  const typed = useSignal(words);
  const told = useRef(words);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // Changed from elsewhere, by a button or the way back, and not an echo of what was typed here.
    if (words === told.current) return;
    clearTimeout(timer.current);
    typed.value = words;
    told.current = words;
  }, [words]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string, wait = pause) => {
    typed.value = text;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const wanted = text.trim();
      if (wanted === told.current) return;
      told.current = wanted;
      onWords(wanted);
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
        maxLength={maxLength}
        value={typed.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
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
