import { Icon } from './icons.tsx';

interface SearchFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly maxLength?: number;
  readonly onText: (text: string) => void;
}

/** Narrows a list as one types; Escape empties it. */
export function SearchField({ id, label, value, maxLength = 200, onText }: SearchFieldProps) {
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
        value={value}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          if (value === '') event.currentTarget.blur();
          else onText('');
        }}
      />
      {value === '' && (
        <span class="search-key" aria-hidden="true">
          <kbd>/</kbd>
        </span>
      )}
    </div>
  );
}
