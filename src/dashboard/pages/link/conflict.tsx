import type { Link } from '../../api-types.ts';
import { number, since } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { differences, type FieldName, type Fields, fieldsOf, labels } from './fields.ts';
import type { LinkForm } from './form.ts';
import { valueText } from './history/sentences.ts';

/** Another user saved this link meanwhile: shows both changes, to choose between. */
export function Conflict({ form, theirs }: { form: LinkForm; theirs: Link }) {
  const both = differences(form.link, theirs);
  const conflicting = both.filter((name) => form.changed.includes(name));
  const others = both.filter((name) => !form.changed.includes(name));
  const close = setTo(form.conflict, null);
  return (
    <Dialog title="This link was changed by someone else" onClose={close} class="conflict">
      <p class="soft" tabIndex={-1} data-focus>
        It was saved elsewhere {since(theirs.updated_at)}, while you were editing. Nothing that you typed is
        lost.
      </p>
      {conflicting.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">You both changed</th>
              <th scope="col">Theirs</th>
              <th scope="col">Yours</th>
            </tr>
          </thead>
          <tbody>
            {conflicting.map((name) => (
              <tr key={name}>
                <th scope="row">{labels[name]}</th>
                <td>
                  <bdi>{inWords(theirs, name)}</bdi>
                </td>
                <td>
                  <bdi>{draftInWords(form.fields, name)}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {others.length > 0 && <OnlyTheirs theirs={theirs} names={others} />}
      {both.length === 0 && <p>Something that isn't shown has changed, such as the password.</p>}
      <p class="soft small">
        {conflicting.length > 0
          ? '"Keep mine" saves your changes over theirs; what only they changed stays. "Take theirs" drops yours where you both made changes.'
          : '"Keep mine" saves your changes beside theirs. "Take theirs" shows theirs and leaves yours unsaved.'}
      </p>
      <div class="actions">
        <Button kind="plain" onClick={close}>
          Back to editing
        </Button>
        <Button onClick={() => form.takeTheirs()}>Take theirs</Button>
        <Button kind="primary" onClick={() => form.keepMine()}>
          Keep mine
        </Button>
      </div>
    </Dialog>
  );
}

function OnlyTheirs({ theirs, names }: { theirs: Link; names: readonly FieldName[] }) {
  return (
    <div>
      <h3>Only they changed</h3>
      <ul>
        {names.map((name) => (
          <li key={name}>
            {labels[name]}: <bdi class="soft">{inWords(theirs, name)}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What a field without a value means, where that is more than "none". */
const withoutValue: Readonly<Partial<Record<FieldName, string>>> = {
  start_date: 'at once',
  expiration_date: 'never',
  watch_destination: 'as set in the organization',
};

/** The value of a field in words. Secrets are not shown. */
function valueInWords(fields: Fields, name: Exclude<FieldName, 'password'>): string {
  const value = fields[name];
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return number(value);
  if (name === 'webhook_auth_key' && value !== '') return 'another key';
  return (value === null ? withoutValue[name] : valueText(name, value)) ?? 'none';
}

const inWords = (link: Link, name: FieldName): string =>
  name === 'password'
    ? link.has_password
      ? 'a password'
      : 'no password'
    : valueInWords(fieldsOf(link), name);

const draftInWords = (fields: Fields, name: FieldName): string =>
  name === 'password'
    ? fields.password === null
      ? 'no password'
      : 'another password'
    : valueInWords(fields, name);
