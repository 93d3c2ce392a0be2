import { Empty } from '../parts/empty.tsx';
import { Loaded, Page } from '../parts/page.tsx';
import { useTags } from '../parts/tags.ts';
import { NewTag } from './tags/tag-form.tsx';
import { TagList } from './tags/tag-list.tsx';

export function TagsPage() {
  const tags = useTags();
  return (
    <Page title="Tags" about="Tags group links. Click one to see its links.">
      <Loaded query={tags}>
        {(known) => (
          <div class="stack">
            <NewTag isFirst={known.length === 0} />
            {known.length === 0 ? (
              <Empty title="No tags yet">
                <p>Name your first one above, for example after a campaign. Then add it to links.</p>
              </Empty>
            ) : (
              <TagList tags={known} />
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}
