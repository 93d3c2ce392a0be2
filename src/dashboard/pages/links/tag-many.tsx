import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import type { Link, Tag } from '../../api-types.ts';
import { call } from '../../client.ts';
import { say } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormErrors } from '../../parts/error-box.tsx';
import { TagPicker } from '../../parts/tag-picker.tsx';
import { byName } from '../../parts/tags.ts';
import { refresh } from '../../queries.ts';
import { counted } from '../../words.ts';

interface TagManyProps {
  readonly links: readonly Link[];
  readonly onDone: (change: (link: Link) => Link) => void;
  readonly onClose: () => void;
}

const idsOf = (of: readonly { readonly id: number }[]): readonly number[] => of.map(({ id }) => id);

/** Puts tags on all links that are selected. */
export function TagMany({ links, onDone, onClose }: TagManyProps) {
  const tags = useSignal<readonly Tag[]>([]);
  const add = useAction(async () => {
    const chosen = tags.value;
    const { updated } = await call('PATCH /api/v1/link/bulk', {
      body: { ids: idsOf(links), add_tags: idsOf(chosen) },
    });
    refresh('links', 'link ', 'tags');
    say(`${counted(updated, 'link')} tagged.`);
    onDone((link) => ({
      ...link,
      tags: [...link.tags.filter(({ id }) => !idsOf(chosen).includes(id)), ...chosen],
    }));
    onClose();
  });
  return (
    <Dialog title={`Tag ${counted(links.length, 'link')}`} onClose={onClose}>
      <FormErrors error={add.error.value} fields={['add_tags']} onRetry={() => void add.run()} />
      <TagPicker
        label="Tags to add"
        value={tags.value}
        error={add.error.value?.of('add_tags')}
        onChange={(chosen) => {
          tags.value = chosen;
        }}
      />
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          disabled={tags.value.length === 0 || add.isRunning.value}
          onClick={() => void add.run()}
        >
          Tag {counted(links.length, 'link')}
        </Button>
      </div>
    </Dialog>
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

/** Takes tags off all links that are selected. */
export function UntagMany({ links, onDone, onClose }: TagManyProps) {
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  const used = tagsOn(links);
  const remove = useAction(async () => {
    const ids = chosen.value;
    const { updated } = await call('PATCH /api/v1/link/bulk', {
      body: { ids: idsOf(links), remove_tags: [...ids] },
    });
    refresh('links', 'link ', 'tags');
    say(`${counted(ids.size, 'tag')} removed from ${counted(updated, 'link')}.`);
    onDone((link) => ({ ...link, tags: link.tags.filter(({ id }) => !ids.has(id)) }));
    onClose();
  });
  const turn = (id: number) => {
    const changed = new Set(chosen.value);
    if (!changed.delete(id)) changed.add(id);
    chosen.value = changed;
  };
  return (
    <Dialog title={`Remove tags from ${counted(links.length, 'link')}`} onClose={onClose}>
      <FormErrors error={remove.error.value} fields={[]} onRetry={() => void remove.run()} />
      {used.length === 0 && <p class="soft">None of these links has a tag.</p>}
      <ul class="untag-list">
        {used.map(({ tag, links: count }) => (
          <li key={tag.id}>
            <label>
              <input type="checkbox" checked={chosen.value.has(tag.id)} onChange={() => turn(tag.id)} />
              <span class="cut" dir="auto">
                {tag.name}
              </span>
              <span class="soft small">{counted(count, 'link')}</span>
            </label>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          disabled={chosen.value.size === 0 || remove.isRunning.value}
          onClick={() => void remove.run()}
        >
          Remove {counted(chosen.value.size, 'tag')}
        </Button>
      </div>
    </Dialog>
  );
}
