import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../action.ts';
import { ApiError } from '../../api-error.ts';
import type { Link } from '../../api-types.ts';
import { call } from '../../client.ts';
import { notify } from '../../notices.ts';
import { confirmingPrint } from '../../on-paper.ts';
import type { SwitchProps, TextFieldProps } from '../../parts/field.tsx';
import { refresh, updateCached } from '../../queries.ts';
import {
  type Draft,
  differences,
  draftOn,
  type FieldName,
  type Fields,
  type FlagName,
  fieldNames,
  fieldsOf,
  hasDraftValue,
  labels,
  patchOf,
  type TextName,
} from './fields.ts';

type TextProps = Pick<TextFieldProps, 'label' | 'value' | 'error' | 'onText'>;
const urlInput = { type: 'url', spellcheck: false, autocomplete: 'off' } as const;

/** The fields of a link and their unsaved changes, for as long as the link's page is open. */
export interface LinkForm {
  /** The link before the first change. */
  readonly link: Link;
  readonly fields: Fields;
  readonly changed: readonly FieldName[];
  readonly isSaving: boolean;
  /** Why the latest attempt to save failed. */
  readonly error: ApiError | null;
  /** The fields as that attempt sent them. */
  readonly sent: Fields;
  /** The link as another user saved it meanwhile, until the user decides which changes to keep. */
  readonly conflict: Signal<Link | null>;
  set<Name extends FieldName>(name: Name, value: Fields[Name]): void;
  /** Sets a field by a function of its value at the time of the call, which may be newer than this form (for an undo). */
  revise<Name extends FieldName>(name: Name, change: (value: Fields[Name]) => Fields[Name]): void;
  /** The props of a text field. */
  text(name: TextName): TextProps;
  /** The props of a text field for an address. */
  url(name: TextName): TextProps & typeof urlInput;
  /** The props of a switch. */
  flag(name: FlagName): Pick<SwitchProps, 'label' | 'isOn' | 'onToggle'>;
  /** The server's error for a field that was not changed after that attempt, or the reason why the field can't be sent. */
  errorOf(name: FieldName): string | null;
  /** Prevents saving while a field has no valid value, with the sentence to show; null allows it again. */
  setInvalid(name: FieldName, sentence: string | null): void;
  /** Whether all fields have valid values; focuses the first one that has none. */
  isReady(): boolean;
  save(): Promise<boolean>;
  discard(): void;
  /** Drops the unsaved changes, because they will be made in another way. */
  forget(): void;
  /** Continues on the link as the user has changed it elsewhere on the page; unsaved changes are kept. */
  continueOn(link: Link): void;
  keepMine(): void;
  takeTheirs(): void;
}

const without = (draft: Draft, names: readonly FieldName[]): Draft => {
  const rest = { ...draft };
  for (const name of names) delete rest[name];
  return rest;
};

const names = (draft: Draft): readonly FieldName[] => fieldNames.filter((name) => draft[name] !== undefined);

/** Changing these may contradict what was printed. */
const addressFields = ['domain', 'suffix', 'aliases'] as const;

const isOnlyPaperMark = (changes: readonly FieldName[]): boolean =>
  changes.length === 1 && changes[0] === 'on_paper';

export function useLinkForm(latest: Link): LinkForm {
  const base = useSignal(latest);
  const draft = useSignal<Draft>({});
  const editedSinceSave = useSignal<readonly FieldName[]>([]);
  const invalidFields = useSignal<Partial<Record<FieldName, string>>>({});
  const conflict = useSignal<Link | null>(null);
  const latestSent = useSignal(fieldsOf(latest));
  const changed = names(draft.value);
  const link = changed.length > 0 ? base.value : latest;

  const rebase = (onto: Link, dropped: readonly FieldName[] = []) => {
    base.value = onto;
    draft.value = draftOn(fieldsOf(onto), without(draft.value, dropped));
    updateCached<Link>(`link ${onto.id}`, () => onto);
  };

  // The link was only marked as printed because a QR code was downloaded, usually on this page: no unsaved change conflicts with that.
  useEffect(() => {
    if (changed.length > 0 && isOnlyPaperMark(differences(base.value, latest))) rebase(latest);
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
      isMoved ? 'address' : 'end',
    );
    // Changes made while the link was being saved remain unsaved.
    const savedNames = names(sent).filter((name) => draft.value[name] === sent[name]);
    rebase(saved, savedNames);
    refresh('links', 'tags', `link history ${saved.id}`);
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
      if (isOnlyPaperMark(changes)) {
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

  const form: LinkForm = {
    link,
    fields: { ...fieldsOf(link), ...draft.value },
    changed,
    isSaving,
    error,
    sent: latestSent.value,
    conflict,
    set(name, value) {
      if (names(draft.value).length === 0) base.value = latest;
      edit({ ...draft.value, [name]: value });
      if (!editedSinceSave.value.includes(name)) editedSinceSave.value = [...editedSinceSave.value, name];
    },
    revise(name, change) {
      const now = { ...fieldsOf(base.value), ...draft.value };
      edit({ ...draft.value, [name]: change(now[name]) });
    },
    text: (name) => ({
      label: labels[name],
      value: form.fields[name],
      error: form.errorOf(name),
      onText: (typed) => form.set(name, typed),
    }),
    url: (name) => ({ ...form.text(name), ...urlInput }),
    flag: (name) => ({
      label: labels[name],
      isOn: form.fields[name],
      onToggle: (isOn) => form.set(name, isOn),
    }),
    errorOf(name) {
      const own = invalidFields.value[name];
      if (own) return own;
      if (!error || editedSinceSave.value.includes(name)) return null;
      return name === 'tags'
        ? (error.sentenceFor('add_tags') ?? error.sentenceFor('remove_tags'))
        : error.sentenceFor(name);
    },
    setInvalid(name, sentence) {
      if ((invalidFields.value[name] ?? null) === sentence) return;
      const { [name]: _, ...rest } = invalidFields.value;
      invalidFields.value = sentence === null ? rest : { ...rest, [name]: sentence };
    },
    isReady() {
      if (hasInvalidFields()) focusInvalid();
      return !hasInvalidFields();
    },
    async save() {
      if (!form.isReady()) return false;
      if (names(draft.value).length === 0) return true;
      editedSinceSave.value = [];
      return saving.run();
    },
    forget() {
      draft.value = {};
      invalidFields.value = {};
      saving.error.value = null;
    },
    discard() {
      const discarded = draft.value;
      form.forget();
      notify('Changes discarded.', {
        action: {
          label: 'Undo',
          act: () => {
            edit({ ...discarded, ...draft.value });
          },
        },
      });
    },
    continueOn: (onto) => rebase(onto),
    keepMine() {
      const theirs = conflict.value;
      if (!theirs) return;
      conflict.value = null;
      rebase(theirs);
      if (names(draft.value).length > 0) void saving.run();
      else notify('Changes saved.');
    },
    takeTheirs() {
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
  return form;
}
