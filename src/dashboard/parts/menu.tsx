import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

interface MenuProps {
  /** The content of the button. */
  readonly button: ComponentChildren;
  readonly label: string;
  /** The class of the button. */
  readonly class: string;
  readonly side?: 'left' | 'right';
  /** `MenuItem`s and links; choosing one closes the menu. */
  readonly children: ComponentChildren;
}

interface MenuItemProps {
  readonly icon?: IconName;
  readonly label: string;
  readonly isDanger?: boolean;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

export const MenuItem = ({ icon, label, isDanger = false, ...rest }: MenuItemProps) => (
  <button type="button" class={isDanger ? 'danger' : undefined} {...rest}>
    {icon && <Icon name={icon} />}
    {label}
  </button>
);

/** The height of the navigation at the bottom of a phone's page. */
const edge = 64;

const isItem = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('a, button') !== null;

export function Menu({ button, label, class: name, side = 'right', children }: MenuProps) {
  const isOpen = useSignal(false);
  /** Opens upwards if there is no room below. */
  const isUp = useSignal(false);
  /** Opens to the other side if there is no room on this one. */
  const isFlipped = useSignal(false);
  const frame = useRef<HTMLDivElement>(null);
  const opensLeft = (side === 'left') !== isFlipped.value;
  const items = () => [
    ...(frame.current?.querySelectorAll<HTMLElement>('.menu-list > :is(a, button)') ?? []),
  ];
  // Focused before the next paint, so that the items receive keys pressed right after opening it.
  useLayoutEffect(() => {
    if (!isOpen.value) return;
    const list = frame.current?.querySelector('.menu-list')?.getBoundingClientRect();
    isUp.value = list !== undefined && list.bottom > innerHeight - edge && list.top - list.height > edge;
    isFlipped.value = list !== undefined && (list.left < 0 || list.right > document.body.clientWidth);
    items()[0]?.focus({ preventScroll: isUp.value });
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && !frame.current?.contains(event.target)) isOpen.value = false;
    };
    addEventListener('pointerdown', closeOutside);
    return () => removeEventListener('pointerdown', closeOutside);
  }, [isOpen.value]);
  const move = (step: number) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[(at + step + all.length) % all.length]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen.value) return;
    if (event.key === 'Escape') {
      isOpen.value = false;
      frame.current?.querySelector('button')?.focus();
    } else if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Tab') {
      isOpen.value = false;
      return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" ref={frame} onKeyDown={onKeyDown}>
      <button
        type="button"
        class={name}
        aria-label={label}
        title={label}
        aria-expanded={isOpen.value}
        aria-haspopup="true"
        onClick={() => {
          isUp.value = false;
          isFlipped.value = false;
          isOpen.value = !isOpen.value;
        }}
      >
        {button}
      </button>
      {isOpen.value && (
        <div
          class={`menu-list ${opensLeft ? 'left' : 'right'} ${isUp.value ? 'up' : ''}`}
          // Focuses the button before the item acts, so that a dialog opened by the item returns the focus to the button.
          onClickCapture={(event) => {
            if (isItem(event.target)) frame.current?.querySelector('button')?.focus();
          }}
          onClick={(event) => {
            if (isItem(event.target)) isOpen.value = false;
          }}
        >
          {children}
        </div>
      )}
    </div>
  );
}
