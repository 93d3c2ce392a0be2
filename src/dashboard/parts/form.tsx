import type { ComponentChildren } from 'preact';
import type { Action } from '../action.ts';
import { FormErrors } from './error-box.tsx';

/** A form that runs an action. Problems of no shown field stand on top; the fields show their own. */
export function Form({
  action,
  fields,
  canRetry = false,
  class: name = 'form',
  children,
}: {
  readonly action: Action<[]>;
  /** The API's names of the fields that are shown. */
  readonly fields: readonly string[];
  /** Offers another try where that may help. */
  readonly canRetry?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  const run = () => void action.run();
  return (
    <form
      class={name}
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <FormErrors error={action.error.value} fields={fields} {...(canRetry && { onRetry: run })} />
      {children}
    </form>
  );
}
