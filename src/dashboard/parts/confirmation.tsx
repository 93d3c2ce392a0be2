import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { setTo } from '../handlers.ts';
import { path } from '../router.ts';
import { me } from '../session.ts';
import { Confirm } from './dialog.tsx';

interface Question {
  readonly title: string;
  readonly sentence: string;
  /** A verb with its object. */
  readonly action: string;
  readonly act: () => void;
}

const question = signal<Question | null>(null);

/** Asks before an action that can't be undone. */
export const askBefore = (asked: Question): void => {
  question.value = asked;
};

/** The question, as long as the page that asked it is shown to the same user. */
export function Confirmation() {
  const close = setTo(question, null);
  useEffect(() => close, [path.value, me.value?.id, me.value?.organization_id]);
  if (!question.value) return null;
  const { act, ...words } = question.value;
  return (
    <Confirm
      {...words}
      onCancel={close}
      onConfirm={() => {
        close();
        act();
      }}
    />
  );
}
