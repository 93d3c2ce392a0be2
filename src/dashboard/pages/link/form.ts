import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../action.ts';
import { ApiError } from '../../api-error.ts';
import type { Link } from '../../api-types.ts';
import { call } from '../../client.ts';
import { notify } from '../../notices.ts';
import { confirmingPrint } from '../../on-paper.ts';
import { refresh, updateCached } from '../../queries.ts';
import {
  changeNames,
  type Draft,
  differences,
  draftOn,
  type FieldName,
  type Fields,
  type FlagName,
  fieldNames,
  fieldsOf,
  hasDraftValue,
  isSame,
  labels,
  patchOf,
  type TextName,
} from './fields.ts';

const without = (draft: Draft, names: readonly FieldName[]): Draft => {
  const rest = { ...draft };
  for (const name of names) delete rest[name];
  return rest;
};

const names = (draft: Draft): readonly FieldName[] => fieldNames.filter((name) => draft[name] !== undefined);

/** Changing these may contradict what was printed. */
const addressFields = ['domain', 'suffix', 'aliases'] as const;

/** These are changed beside the form: by downloading a QR code, and by the link's menu. No unsaved change conflicts with that. */
const changedBeside: readonly FieldName[] = ['on_paper', 'archived'];
const isBesideForm = (changes: readonly FieldName[]): boolean =>
  changes.length > 0 && changes.every((name) => changedBeside.includes(name));

export type LinkForm = ReturnType<typeof useLinkForm>;

/** The fields of a link and their unsaved changes, for as long as the link's page is open. */
export function useLinkForm(latest: Link) {
  /** The link before the first change. */
  const base = useSignal(latest);
  const draft = useSignal<Draft>({});
  /** Why a field has no valid value. */
  const invalidFields = useSignal<Partial<Record<FieldName, string>>>({});
  /** The link as another user saved it meanwhile, until the user decides which changes to keep. */
  const conflict = useSignal<Link | null>(null);
  /** The fields as the latest attempt to save sent them. */
  const latestSent = useSignal(fieldsOf(latest));
  const changed = names(draft.value);
  const link = changed.length > 0 ? base.value : latest;
  const fields: Fields = { ...fieldsOf(link), ...draft.value };

  const rebase = (onto: Link, dropped: readonly FieldName[] = []) => {
    base.value = onto;
    draft.value = draftOn(fieldsOf(onto), without(draft.value, dropped));
    updateCached<Link>(`link ${onto.id}`, () => onto);
  };

  useEffect(() => {
    if (changed.length > 0 && isBesideForm(differences(base.value, latest))) rebase(latest);
  }, [latest.updated_at]);

  const send = async (): Promise<void> => {
    const sent = draft.value;
    latestSent.value = { ...fieldsOf(base.value), ...sent };
    const isMoved = addressFields.some((name) => sent[name] !== undefined);
    const saved = await confirmingPrint(
      (confirm) =>
        call('PATCH /api/v1/link/{id}', {
          params: { id: link.id },
          query: { confirm },
          body: patchOf(fieldsOf(base.value), sent),
          headers: { 'if-match': `"${base.value.updated_at}"` },
        }),
      { change: isMoved ? 'address' : 'end' },
    );
    // Changes made while the link was being saved remain unsaved.
    const savedNames = names(sent).filter((name) => draft.value[name] === sent[name]);
    rebase(saved, savedNames);
    refresh('links', 'tags', 'utm values', `link history ${saved.id}`);
    if (names(draft.value).length === 0) notify('Changes saved.');
  };

  const sendOrShowConflict = async (): Promise<void> => {
    try {
      await send();
    } catch (cause) {
      if (!(cause instanceof ApiError) || cause.code !== 'LINK_CHANGED') throw cause;
      const theirs = await call('GET /api/v1/link/{id}', { params: { id: link.id } });
      const changes = differences(base.value, theirs);
      // The answer to an earlier attempt was lost: these changes are our own.
      if (changes.length > 0 && changes.every((name) => hasDraftValue(theirs, draft.value, name))) {
        rebase(theirs);
        if (names(draft.value).length > 0) return send();
        notify('Changes saved.');
        return;
      }
      if (isBesideForm(changes)) {
        rebase(theirs);
        return send();
      }
      // The other user's values are shown in fields without unsaved changes, or once these are discarded.
      updateCached<Link>(`link ${theirs.id}`, () => theirs);
      conflict.value = theirs;
      throw cause;
    }
  };

  const withoutUnchanged = (edited: Draft): Draft => draftOn(fieldsOf(base.value), edited);
  const saving = useAction(async () => {
    await sendOrShowConflict().finally(() => {
      draft.value = withoutUnchanged(draft.value);
    });
  });
  /** While a save is under way, a value that the base has is a change too: it takes back the one that is being saved. */
  const edit = (edited: Draft) => {
    draft.value = saving.isRunning.value ? edited : withoutUnchanged(edited);
  };
  const error = saving.error.value;
  const isSaving = saving.isRunning.value;

  const focusInvalid = () => document.querySelector<HTMLElement>('.link-form [aria-invalid="true"]')?.focus();
  const hasInvalidFields = () => Object.keys(invalidFields.value).length > 0;
  useEffect(() => {
    if (error || hasInvalidFields()) focusInvalid();
  }, [error]);

  const set = <Name extends FieldName>(name: Name, value: Fields[Name]): void => {
    if (names(draft.value).length === 0) base.value = latest;
    edit({ ...draft.value, [name]: value });
  };
  /** The reason why the field can't be sent, or the server's error, until the field is changed. */
  const errorOf = (name: FieldName): string | null => {
    const own = invalidFields.value[name];
    if (own) return own;
    if (!error || !isSame(fields[name], latestSent.value[name])) return null;
    const apiNames: readonly string[] = name === 'tags' || name === 'aliases' ? changeNames[name] : [];
    return [name, ...apiNames].map((one) => error.sentenceFor(one)).find((sentence) => sentence) ?? null;
  };
  /** The props of a text field. */
  const text = (name: TextName) => ({
    label: labels[name],
    value: fields[name],
    error: errorOf(name),
    onText: (typed: string) => set(name, typed),
  });
  /** Whether all fields have valid values; focuses the first one that has none. */
  const isReady = (): boolean => {
    if (hasInvalidFields()) focusInvalid();
    return !hasInvalidFields();
  };
  /** Drops the unsaved changes, because they will be made in another way. */
  const forget = (): void => {
    draft.value = {};
    invalidFields.value = {};
    saving.error.value = null;
  };

  return {
    link,
    fields,
    changed,
    isSaving,
    error,
    sent: latestSent.value,
    conflict,
    set,
    /** Sets a field by a function of its value at the time of the call, which may be newer than this form (for an undo). */
    revise<Name extends FieldName>(name: Name, change: (value: Fields[Name]) => Fields[Name]): void {
      const now = { ...fieldsOf(base.value), ...draft.value };
      edit({ ...draft.value, [name]: change(now[name]) });
    },
    text,
    /** The props of a switch. */
    flag: (name: FlagName) => ({
      label: labels[name],
      isOn: fields[name],
      onToggle: (isOn: boolean) => set(name, isOn),
    }),
    errorOf,
    /** Prevents saving while a field has no valid value, with the sentence to show; null allows it again. */
    setInvalid(name: FieldName, sentence: string | null): void {
      if ((invalidFields.value[name] ?? null) === sentence) return;
      const { [name]: _, ...rest } = invalidFields.value;
      invalidFields.value = sentence === null ? rest : { ...rest, [name]: sentence };
    },
    isReady,
    async save(): Promise<boolean> {
      if (!isReady()) return false;
      return names(draft.value).length === 0 || saving.run();
    },
    forget,
    discard(): void {
      const discarded = draft.value;
      forget();
      notify('Changes discarded.', { undo: () => edit({ ...discarded, ...draft.value }) });
    },
    /** Continues on the link as the user has changed it elsewhere on the page; unsaved changes are kept. */
    continueOn: (onto: Link) => rebase(onto),
    keepMine(): void {
      const theirs = conflict.value;
      if (!theirs) return;
      conflict.value = null;
      rebase(theirs);
      if (names(draft.value).length > 0) void saving.run();
      else notify('Changes saved.');
    },
    takeTheirs(): void {
      const theirs = conflict.value;
      if (!theirs) return;
      const dropped = differences(base.value, theirs);
      conflict.value = null;
      saving.error.value = null;
      rebase(theirs, dropped);
      notify(
        names(draft.value).length > 0
          ? 'Theirs is shown where you both made changes. The rest of yours is still to be saved.'
          : 'The link is shown as they left it.',
      );
    },
  };
}
