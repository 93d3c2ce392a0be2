import { FormField, type FormFieldProps } from './form.tsx';

type AccountFieldProps = Omit<FormFieldProps, 'label'> & { readonly label?: string };

/** The address that an account signs in with. */
export const EmailField = (props: AccountFieldProps) => (
  <FormField label="Email" type="email" name="email" autocomplete="username" required {...props} />
);

export const CurrentPasswordField = (props: AccountFieldProps) => (
  <FormField label="Password" type="password" autocomplete="current-password" required {...props} />
);

export const NewPasswordField = (props: AccountFieldProps) => (
  <FormField
    label="Password"
    type="password"
    autocomplete="new-password"
    required
    minLength={8}
    hint="At least 8 characters."
    {...props}
  />
);
