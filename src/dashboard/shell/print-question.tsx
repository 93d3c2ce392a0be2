import { printQuestion } from '../on-paper.ts';
import { Confirm } from '../parts/dialog.tsx';

/** Asks before a printed address or code stops working. */
export function PrintQuestion() {
  const question = printQuestion.value;
  if (!question) return null;
  const { id, change, links } = question;
  const callbacks = { onCancel: () => question.answer(false), onConfirm: () => question.answer(true) };
  if (change === 'address')
    return (
      <Confirm
        key={id}
        title="This is in print"
        sentence="Prints have the current address. If you change the suffix or the domain, that address continues to work as an alias. An alias that you remove stops working, and paper can't be changed."
        action="Change it anyway"
        cancelLabel="Leave it as it is"
        {...callbacks}
      />
    );
  return (
    <Confirm
      key={id}
      title="This is in print"
      sentence={`A printed code or address${links ? ` of ${links}` : ''} would stop working for everyone who scans or types it, and paper can't be changed.`}
      action="End it anyway"
      cancelLabel="Keep it working"
      {...callbacks}
    />
  );
}
