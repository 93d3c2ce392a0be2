import type { CountedTag } from '../../api-types.ts';
import { call } from '../../client.ts';
import { counted } from '../../format.ts';
import { notify, notifyError } from '../../notices.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { refresh, updateCached } from '../../queries.ts';

/** Removes the tag from the list at once, and puts it back if the call fails. */
async function remove(tag: CountedTag): Promise<void> {
  updateCached<readonly CountedTag[]>('tags', (known) => known.filter(({ id }) => id !== tag.id));
  try {
    await call('DELETE /api/v1/tag/{id}', { params: { id: tag.id } });
    notify(`Tag “${tag.name}” deleted.`);
  } catch (cause) {
    updateCached<readonly CountedTag[]>('tags', (known) => [...known.filter(({ id }) => id !== tag.id), tag]);
    notifyError(cause, `Tag “${tag.name}” was not deleted.`);
  }
  refresh('tags', 'links', 'link ');
}

export function DeleteTag({ tag, onClose }: { tag: CountedTag; onClose: () => void }) {
  return (
    <Confirm
      title={`Delete the tag “${tag.name}”?`}
      sentence={
        tag.links === 0
          ? "No link has it. This can't be undone."
          : `It is taken off ${counted(tag.links, 'link')}; the links themselves stay. This can't be undone.`
      }
      action="Delete tag"
      onCancel={onClose}
      onConfirm={() => {
        onClose();
        void remove(tag);
      }}
    />
  );
}
