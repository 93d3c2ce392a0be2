import { SignalField, type SignalFieldProps } from './field.tsx';

type AccountFieldProps = Omit<SignalFieldProps, 'label'> & { readonly label?: string };

/** The address that an account signs in with. */
export const EmailField = (props: AccountFieldProps) => (
  <SignalField label="Email" type="email" name="email" autocomplete="username" required {...props} />
);

export const CurrentPasswordField = (props: AccountFieldProps) => (
  <SignalField label="Password" type="password" autocomplete="current-password" required {...props} />
);

export const NewPasswordField = (props: AccountFieldProps) => (
  <SignalField
    label="Password"
    type="password"
    autocomplete="new-password"
    required
    minLength={8}
    hint="At least 8 characters."
    {...props}
  />
);
