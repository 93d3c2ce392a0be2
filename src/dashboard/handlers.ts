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

/** Whether it is the second click of a double click, which was meant for what was there before the first. */
export const isSecondClick = ({ detail }: MouseEvent): boolean => detail > 1;

/** Whether the key saves the form of the focused field, which is not left for that. */
export const isSavingKey = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  key === 'Enter' || ((ctrlKey || metaKey) && key.toLowerCase() === 's');

/** Whether the focus leaves the element of a `focusout` handler for another one, rather than the whole window. */
export const isFocusLeaving = ({
  currentTarget,
  target,
  relatedTarget,
}: TargetedFocusEvent<HTMLElement>): boolean =>
  target !== document.activeElement &&
  !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget));
