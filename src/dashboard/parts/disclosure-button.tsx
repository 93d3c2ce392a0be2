import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { toggle } from '../handlers.ts';
import { Icon } from './icons.tsx';

interface DisclosureButtonProps {
  readonly isOpen: Signal<boolean>;
  /** The id of the element that it shows and hides. */
  readonly controls: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export const DisclosureButton = ({
  isOpen,
  controls,
  class: name = 'button plain slim',
  children,
}: DisclosureButtonProps) => (
  <button
    type="button"
    class={name}
    aria-expanded={isOpen.value}
    aria-controls={controls}
    onClick={toggle(isOpen)}
  >
    <Icon name={isOpen.value ? 'down' : 'right'} size={16} />
    {children}
  </button>
);
