import { type Signal, useSignal } from '@preact/signals';
import { EmailField, NewPasswordField } from './account-fields.tsx';
import { FormField } from './form.tsx';

/** What is typed for an account with an organization of its own. */
interface NewAccount {
  readonly email: Signal<string>;
  readonly password: Signal<string>;
  readonly organization: Signal<string>;
}

/** The names of the fields in the API. */
export const newAccountFields = ['email', 'password', 'organization_name'];

export const useNewAccount = (): NewAccount => ({
  email: useSignal(''),
  password: useSignal(''),
  organization: useSignal(''),
});

export const inputOf = ({ email, password, organization }: NewAccount) => ({
  email: email.value,
  password: password.value,
  ...(organization.value.trim() && { organization_name: organization.value }),
});

export const NewAccountFields = ({ account }: { account: NewAccount }) => (
  <>
    <EmailField autoFocus field="email" signal={account.email} />
    <NewPasswordField field="password" signal={account.password} />
    <FormField
      field="organization_name"
      label="Organization"
      hint="The owner of the links. It can be changed later."
      placeholder="Optional"
      signal={account.organization}
    />
  </>
);
