import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.tsx';

interface Look {
  readonly kind?: 'primary' | 'danger' | 'plain';
  readonly icon?: IconName;
  readonly isSlim?: boolean;
}

const classOf = ({ kind, isSlim }: Look, isBare: boolean): string =>
  ['button', kind, isSlim && 'slim', isBare && 'icon'].filter(Boolean).join(' ');

type ButtonProps = Look &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> & {
    readonly type?: 'button' | 'submit';
    readonly disabled?: boolean;
    readonly children: ComponentChildren;
  };

export function Button({ kind, icon, isSlim, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      class={classOf({ ...(kind && { kind }), ...(isSlim && { isSlim }) }, false)}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

type IconButtonProps = Look &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'label'> & {
    readonly icon: IconName;
    readonly label: string;
    readonly disabled?: boolean;
  };

/** Its label is for screen readers and the tooltip. */
export function IconButton({ kind = 'plain', icon, label, isSlim, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      class={classOf({ kind, ...(isSlim && { isSlim }) }, true)}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
