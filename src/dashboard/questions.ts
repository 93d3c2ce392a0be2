import { signal } from '@preact/signals';

interface Question {
  readonly title: string;
  readonly sentence: string;
  /** A verb with its object. */
  readonly action: string;
  readonly cancelLabel?: string;
  readonly act: () => void;
}

export const question = signal<Question | null>(null);

/** Asks before an action that can't be undone. */
export const askBefore = (asked: Question): void => {
  question.value = asked;
};
