import type { ComponentChildren } from 'preact';
import { submitBy } from '../../handlers.ts';
import type { LinkForm } from './form.ts';

interface FieldsFormProps {
  readonly form: LinkForm;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Fields of the link, which Enter saves. */
export const FieldsForm = ({ form, class: name = '', children }: FieldsFormProps) => (
  <form class={`link-form ${name}`} noValidate onSubmit={submitBy(() => void form.save())}>
    {children}
    {/*
      Without a submit button, browsers ignore Enter in a form of several fields; Safari also if it isn't rendered. The visible button is
      in the save bar.
    */}
    <button type="submit" class="unseen" tabIndex={-1} aria-hidden="true" disabled={form.isSaving}>
      Save changes
    </button>
  </form>
);
