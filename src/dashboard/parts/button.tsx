import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.tsx';

interface ButtonStyle {
  readonly kind?: 'primary' | 'danger' | 'plain';
  readonly isSlim?: boolean;
}

const classOf = (...names: readonly (string | false | undefined)[]): string =>
  ['button', ...names].filter(Boolean).join(' ');

export type ButtonProps = ButtonStyle &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> & {
    readonly icon?: IconName;
    readonly type?: 'button' | 'submit';
    readonly disabled?: boolean;
    readonly children: ComponentChildren;
  };

export function Button({ kind, icon, isSlim, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <button type={type} class={classOf(kind, isSlim && 'slim')} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

type IconButtonProps = ButtonStyle &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'label'> & {
    readonly icon: IconName;
    /** For screen readers and the tooltip. */
    readonly label: string;
    readonly disabled?: boolean;
  };

export function IconButton({ kind = 'plain', icon, label, isSlim, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      class={classOf(kind, isSlim && 'slim', 'icon')}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
