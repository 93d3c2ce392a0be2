import { useEffect } from 'preact/hooks';
import { setTo } from '../handlers.ts';
import { question } from '../questions.ts';
import { path } from '../router.ts';
import { me } from '../session.ts';
import { Confirm } from './dialog.tsx';

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
