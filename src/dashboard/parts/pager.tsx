import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { number } from '../format.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

interface PagerProps {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
  /** The page sizes, where there is a choice. */
  readonly sizes?: readonly number[];
  readonly onSize?: (size: number) => void;
}

/** The range of a long list that is shown, and the controls that change it. */
export function Pager({ page, size, total, sizes, onPage, onSize }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / size));
  const typed = useSignal(String(page));
  const input = useRef<HTMLInputElement>(null);
  // Set before the page is painted: later the user may have begun to type.
  useLayoutEffect(() => {
    typed.value = String(page);
  }, [page]);
  const go = () => {
    const requestedPage = Math.min(last, Math.max(1, Math.trunc(Number(typed.value)) || page));
    typed.value = String(requestedPage);
    if (requestedPage !== page) onPage(requestedPage);
  };
  return (
    <nav class="pager wrapping" aria-label="Pages">
      <p class="soft small">
        {page > last
          ? 'None'
          : `${number(Math.min(total, (page - 1) * size + 1))}–${number(Math.min(total, page * size))}`}{' '}
        of {number(total)}
      </p>
      {sizes && onSize && (
        <label class="beside soft small">
          <select
            class="input"
            value={String(size)}
            onChange={(event) => onSize(Number(event.currentTarget.value))}
          >
            {sizes.map((one) => (
              <option key={one} value={String(one)}>
                {one}
              </option>
            ))}
          </select>
          a page
        </label>
      )}
      <div class="pager-steps beside">
        <Step
          icon="left"
          label="Previous page"
          isAtEnd={page <= 1}
          onStep={() => onPage(Math.min(page - 1, last))}
        />
        <form
          class="beside small"
          onSubmit={(event) => {
            event.preventDefault();
            // The blur event changes the page; without the focus here, keys apply to the list again.
            input.current?.blur();
          }}
        >
          <label class="beside">
            <span class="soft">Page</span>
            <input
              ref={input}
              class="input"
              type="text"
              inputMode="numeric"
              maxLength={9}
              value={typed.value}
              onInput={(event) => {
                typed.value = event.currentTarget.value;
              }}
              onBlur={go}
            />
          </label>
          <span class="soft">of {number(last)}</span>
        </form>
        <Step icon="right" label="Next page" isAtEnd={page >= last} onStep={() => onPage(page + 1)} />
      </div>
    </nav>
  );
}

interface StepProps {
  readonly icon: 'left' | 'right';
  readonly label: string;
  readonly isAtEnd: boolean;
  readonly onStep: () => void;
}

/** Not disabled at the end, where the step that led there would lose the focus. */
const Step = ({ icon, label, isAtEnd, onStep }: StepProps) => (
  <Button isSlim aria-label={label} aria-disabled={isAtEnd} onClick={() => isAtEnd || onStep()}>
    <Icon name={icon} size={16} />
  </Button>
);
