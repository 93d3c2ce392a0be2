import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Action, useAction } from '../../action.ts';
import type { Link, Tag } from '../../api-types.ts';
import { call } from '../../client.ts';
import { counted } from '../../format.ts';
import { storeIn } from '../../handlers.ts';
import { notify } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { TagPicker } from '../../parts/tag-picker.tsx';
import { byName } from '../../parts/tags.ts';
import { refresh } from '../../queries.ts';

interface TagManyProps {
  readonly links: readonly Link[];
  readonly onDone: (change: (link: Link) => Link) => void;
  readonly onClose: () => void;
}

const idsOf = (of: readonly { readonly id: number }[]): readonly number[] => of.map(({ id }) => id);

/** Adds tags to all links that are selected. */
export function TagMany({ links, onDone, onClose }: TagManyProps) {
  const tags = useSignal<readonly Tag[]>([]);
  const add = useAction(async () => {
    const chosen = tags.value;
    const { updated } = await call('PATCH /api/v1/link/bulk', {
      body: { ids: idsOf(links), add_tags: idsOf(chosen) },
    });
    refresh('links', 'link ', 'tags');
    notify(`${counted(updated, 'link')} tagged.`);
    onDone((link) => ({
      ...link,
      tags: [...link.tags.filter(({ id }) => !idsOf(chosen).includes(id)), ...chosen],
    }));
    onClose();
  });
  const what = `Tag ${counted(links.length, 'link')}`;
  return (
    <ActionDialog
      title={what}
      action={add}
      fields={['add_tags']}
      verb={what}
      isEmpty={tags.value.length === 0}
      onClose={onClose}
    >
      <TagPicker
        label="Tags to add"
        value={tags.value}
        error={add.error.value?.sentenceFor('add_tags')}
        onChange={storeIn(tags)}
      />
    </ActionDialog>
  );
}

interface UsedTag {
  readonly tag: Tag;
  readonly links: number;
}

function tagsOn(links: readonly Link[]): readonly UsedTag[] {
  const used = new Map<number, UsedTag>();
  for (const tag of links.flatMap((link) => link.tags)) {
    used.set(tag.id, { tag, links: (used.get(tag.id)?.links ?? 0) + 1 });
  }
  return [...used.values()].sort((one, other) => byName(one.tag, other.tag));
}

/** Removes tags from all links that are selected. */
export function UntagMany({ links, onDone, onClose }: TagManyProps) {
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  const used = tagsOn(links);
  const remove = useAction(async () => {
    const ids = chosen.value;
    const { updated } = await call('PATCH /api/v1/link/bulk', {
      body: { ids: idsOf(links), remove_tags: [...ids] },
    });
    refresh('links', 'link ', 'tags');
    notify(`${counted(ids.size, 'tag')} removed from ${counted(updated, 'link')}.`);
    onDone((link) => ({ ...link, tags: link.tags.filter(({ id }) => !ids.has(id)) }));
    onClose();
  });
  const toggle = (id: number) => {
    const changed = new Set(chosen.value);
    if (!changed.delete(id)) changed.add(id);
    chosen.value = changed;
  };
  return (
    <ActionDialog
      title={`Remove tags from ${counted(links.length, 'link')}`}
      action={remove}
      verb={`Remove ${counted(chosen.value.size, 'tag')}`}
      isEmpty={chosen.value.size === 0}
      onClose={onClose}
    >
      {used.length === 0 && <p class="soft">None of these links has a tag.</p>}
      <ul class="untag-list">
        {used.map(({ tag, links: count }) => (
          <li key={tag.id}>
            <label class="beside">
              <input type="checkbox" checked={chosen.value.has(tag.id)} onChange={() => toggle(tag.id)} />
              <span class="cut" dir="auto">
                {tag.name}
              </span>
              <span class="soft small">{counted(count, 'link')}</span>
            </label>
          </li>
        ))}
      </ul>
    </ActionDialog>
  );
}

interface ActionDialogProps {
  readonly title: string;
  readonly action: Action<[]>;
  /** The API's names of the fields shown. */
  readonly fields?: readonly string[];
  readonly verb: string;
  /** Nothing is chosen yet. */
  readonly isEmpty: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

function ActionDialog({ title, action, fields = [], verb, isEmpty, onClose, children }: ActionDialogProps) {
  const run = () => void action.run();
  return (
    <Dialog title={title} onClose={onClose}>
      <ErrorBox error={action.error.value} fields={fields} onRetry={run} />
      {children}
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={isEmpty || action.isRunning.value} onClick={run}>
          {verb}
        </Button>
      </div>
    </Dialog>
  );
}
