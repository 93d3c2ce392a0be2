import { signal } from '@preact/signals';
import { dismissNotice, holdNoticesWhile, notices } from '../notices.ts';
import { Icon } from './icons.tsx';

const elementId = (id: number): string => `notice-${id}`;

holdNoticesWhile((id) => document.getElementById(elementId(id))?.matches(':hover, :focus-within') ?? false);

/** The ids of the open dialogs, the uppermost last. */
export const openDialogs = signal<readonly string[]>([]);

/**
 * While a dialog is open, neither the keyboard nor a screen reader reaches anything outside it. So each dialog has notices of its own, and
 * only the uppermost shows them. `dialog` is its id.
 */
export function Notices({ dialog }: { dialog?: string }) {
  const shown = openDialogs.value.at(-1) === dialog ? notices.value : [];
  return (
    <div class="notices" aria-live="polite">
      {shown.map(({ id, text, isError, action }) => (
        <div class="notice beside" key={id} id={elementId(id)} role={isError ? 'alert' : undefined}>
          {isError && <Icon name="warning" />}
          <span>{text}</span>
          {action && (
            <button
              type="button"
              class="act"
              onClick={() => {
                dismissNotice(id);
                action.act();
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" aria-label="Dismiss" onClick={() => dismissNotice(id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}
