import type { Signal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Action } from '../action.ts';
import { storeIn, submitBy } from '../handlers.ts';
import { Button, type ButtonProps } from './button.tsx';
import { ErrorBox } from './error-box.tsx';
import { TextField, type TextFieldProps } from './field.tsx';

const CurrentAction = createContext<Action<[]> | null>(null);

interface FormProps {
  readonly action: Action<[]>;
  /** The API's names of the fields shown. */
  readonly fields: readonly string[];
  /** Offers a retry if that may help. */
  readonly canRetry?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A form that runs an action. Its `FormField`s show their own problems; the others are listed at the top. */
export function Form({ action, fields, canRetry = false, class: name = 'form', children }: FormProps) {
  const run = () => void action.run();
  return (
    <CurrentAction.Provider value={action}>
      <form class={name} onSubmit={submitBy(run)}>
        <ErrorBox error={action.error.value} fields={fields} {...(canRetry && { onRetry: run })} />
        {children}
      </form>
    </CurrentAction.Provider>
  );
}

export type FormFieldProps = Omit<TextFieldProps, 'value' | 'onText'> & {
  readonly signal: Signal<string>;
  /** The API's name of the field, whose problem is shown below it. */
  readonly field?: string;
};

/** A text field that stores what is typed in a signal. */
export function FormField({ signal, field, ...props }: FormFieldProps) {
  const error = useContext(CurrentAction)?.error.value;
  return (
    <TextField
      value={signal.value}
      onText={storeIn(signal)}
      error={field === undefined ? null : error?.sentenceFor(field)}
      {...props}
    />
  );
}

/** The button that submits the form it is in; disabled while its action runs. */
export function Submit({ disabled = false, ...rest }: ButtonProps) {
  const isRunning = useContext(CurrentAction)?.isRunning.value ?? false;
  return <Button type="submit" disabled={disabled || isRunning} {...rest} />;
}

interface CancelAndSubmitProps {
  readonly verb: string;
  /** The form can't be cancelled while its action runs. */
  readonly isFirm?: boolean;
  readonly onCancel: () => void;
}

/** The buttons of a form in a dialog. */
export function CancelAndSubmit({ verb, isFirm = false, onCancel }: CancelAndSubmitProps) {
  const isRunning = useContext(CurrentAction)?.isRunning.value ?? false;
  return (
    <div class="actions">
      <Button disabled={isFirm && isRunning} onClick={onCancel}>
        Cancel
      </Button>
      <Submit kind="primary">{verb}</Submit>
    </div>
  );
}
