import type { CountedTag } from '../../api-types.ts';
import { IconButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { counted } from '../../words.ts';
import { RenameTag } from './rename-tag.tsx';

interface TagRowProps {
  readonly tag: CountedTag;
  readonly isRenamed: boolean;
  readonly onRename: () => void;
  readonly onRenamed: () => void;
  readonly onDelete: () => void;
}

export function TagRow({ tag, isRenamed, onRename, onRenamed, onDelete }: TagRowProps) {
  return (
    <li class="tag-row" data-row={tag.id}>
      {isRenamed ? (
        <RenameTag tag={tag} onDone={onRenamed} />
      ) : (
        <>
          <Icon name="tag" size={16} />
          <a class="tag-name cut" href={`/app?tag=${tag.id}`} data-row-link title={tag.name}>
            <bdi>{tag.name}</bdi>
          </a>
          <div class="row-actions">
            <IconButton icon="edit" label={`Rename ${tag.name}`} isSlim onClick={onRename} />
            <IconButton icon="trash" label={`Delete ${tag.name}`} isSlim onClick={onDelete} />
          </div>
          <span class="soft small number">{counted(tag.links, 'link')}</span>
        </>
      )}
    </li>
  );
}
