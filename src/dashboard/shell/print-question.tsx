import { printQuestion } from '../on-paper.ts';
import { Confirm } from '../parts/dialog.tsx';

/** Asks before what is in print leads nowhere. */
export function PrintQuestion() {
  const question = printQuestion.value;
  if (!question) return null;
  return (
    <Confirm
      title="This is in print"
      sentence="A code or address that was printed would lead nowhere for everybody who scans or types it, and paper can't be changed."
      action="End it all the same"
      keep="Keep it working"
      onNo={() => question.answer(false)}
      onYes={() => question.answer(true)}
    />
  );
}
