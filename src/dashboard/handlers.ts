import type { Signal } from '@preact/signals';

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
