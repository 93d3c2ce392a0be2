import { useEffect, useState } from 'preact/hooks';
import { counted, number } from '../../format.ts';
import { TextField } from '../../parts/field.tsx';
import { labels } from './fields.ts';
import type { LinkForm } from './form.ts';
import { clicksLeftOf, readLimit } from './read-limit.ts';

const name = 'click_limit';

/** After how many clicks the link ends, and how many of them are left. */
export function ClickLimitField({ form }: { form: LinkForm }) {
  const [typed, setTyped] = useState('');
  const limit = form.fields[name];
  const error = form.errorOf(name);
  const isTyped = error !== null || readLimit(typed) === limit;
  useEffect(() => () => form.setInvalid(name, null), []);
  const onText = (text: string) => {
    setTyped(text);
    const read = readLimit(text);
    form.setInvalid(
      name,
      read === undefined ? 'Give a whole number from 1 to 1,000,000,000, or clear it.' : null,
    );
    if (read !== undefined) form.set(name, read);
  };
  return (
    <TextField
      label={labels[name]}
      inputMode="numeric"
      autocomplete="off"
      placeholder="No limit"
      value={isTyped ? typed : `${limit ?? ''}`}
      error={error}
      hint={<Phrase form={form} limit={limit} />}
      onText={onText}
    />
  );
}

function Phrase({ form, limit }: { form: LinkForm; limit: number | null }) {
  if (limit === null) return <>It works however often it is clicked.</>;
  const left = clicksLeftOf(form.link, limit);
  return left === 0 ? (
    <strong>No clicks are left: visitors are told that it has ended.</strong>
  ) : (
    <>
      <strong>
        {number(left)} of {counted(limit, 'click')}
      </strong>{' '}
      {left === 1 ? 'is' : 'are'} left. Bots and previews don't use any.
    </>
  );
}
