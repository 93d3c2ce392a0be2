import { printQuestion } from '../on-paper.ts';
import { Confirm } from '../parts/dialog.tsx';

/** Asks before something printed stops leading anywhere. */
export function PrintQuestion() {
  const question = printQuestion.value;
  if (!question) return null;
  const answers = { onNo: () => question.answer(false), onYes: () => question.answer(true) };
  if (question.change === 'address')
    return (
      <Confirm
        title="This is in print"
        sentence="What was printed has the address of then. If you change the suffix or the domain, that address goes on leading here as an alias. An alias that you remove leads nowhere, and paper can't be changed."
        action="Change it all the same"
        keep="Leave it as it is"
        {...answers}
      />
    );
  return (
    <Confirm
      title="This is in print"
      sentence="A code or address that was printed would lead nowhere for everybody who scans or types it, and paper can't be changed."
      action="End it all the same"
      keep="Keep it working"
      {...answers}
    />
  );
}
