import type { Signal } from '@preact/signals';
import type { TargetedFocusEvent } from 'preact';

/** An event handler that sets a signal. */
export const setTo =
  <T>(signal: Signal<T>, value: T) =>
  (): void => {
    signal.value = value;
  };

/** An event handler that turns a signal on or off. */
export const toggle = (signal: Signal<boolean>) => (): void => {
  signal.value = !signal.value;
};

/** A handler that stores what it is called with, such as a typed text, in a signal. */
export const storeIn =
  <T>(signal: Signal<T>) =>
  (value: T): void => {
    signal.value = value;
  };

/** A handler of a form's `submit` event that acts in place of the browser. */
export const submitBy =
  (act: () => void) =>
  (event: Event): void => {
    event.preventDefault();
    act();
  };

/** Whether it is the second click of a double click, which was meant for what was there before the first. */
export const isSecondClick = ({ detail }: MouseEvent): boolean => detail > 1;

/** A click handler that ignores such a click. */
export const unlessSecondClick =
  (act: () => void) =>
  (event: MouseEvent): void => {
    if (!isSecondClick(event)) act();
  };

/** Whether the key saves the form of the focused field, which is not left for that. */
export const isSavingKey = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  key === 'Enter' || ((ctrlKey || metaKey) && key.toLowerCase() === 's');

/** A `focusout` handler that acts when the focus leaves its element for another one, rather than the whole window. */
export const whenFocusLeaves =
  (act: () => void) =>
  ({ currentTarget, target, relatedTarget }: TargetedFocusEvent<HTMLElement>): void => {
    const isWithin = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
    if (target !== document.activeElement && !isWithin) act();
  };
