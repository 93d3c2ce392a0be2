import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api-error.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { setQuery } from '../router.ts';
import type { Chosen } from './chosen.ts';
import { ChosenLinks } from './chosen-links.tsx';

/** By the parameter of the page's address that names it. */
const texts: Readonly<Record<string, { readonly title: string; readonly sentence: ComponentChildren }>> = {
  tag: {
    title: 'A tag in this address is gone',
    sentence: 'It was deleted. Links that had it are still there, with their statistics.',
  },
  ids: {
    title: 'A link in this address is gone',
    sentence: (
      <>
        It was deleted. <a href="/app/links/deleted">Deleted links</a> can be restored for 30 days.
      </>
    ),
  },
  domain: {
    title: 'The domain in this address is gone',
    sentence: 'Your organization no longer has it.',
  },
};

/** The parameter of the page's address that names what no longer exists, as from a bookmark; undefined for any other error. */
export function deletedFilter(error: ApiError | null): string | undefined {
  const [problem] = error?.problems ?? [];
  const isGone = problem?.code === 'TAG_NOT_FOUND' || problem?.code === 'FIELD_INVALID';
  return isGone && problem.field !== null && problem.field in texts ? problem.field : undefined;
}

/** Says what is gone, and leads to the statistics without it. */
export function DeletedFilter({ parameter }: { parameter: string }) {
  const text = texts[parameter];
  return (
    <Empty title={text?.title ?? ''}>
      <p>{text?.sentence}</p>
      <Button onClick={() => setQuery({ [parameter]: null })}>Show all links</Button>
    </Empty>
  );
}

/** The same in place of a board or feed, below its filter. */
export const BoardOfDeletedFilter = ({ parameter, chosen }: { parameter: string; chosen: Chosen }) => (
  <div class="stack even board">
    <ChosenLinks chosen={chosen} />
    <DeletedFilter parameter={parameter} />
  </div>
);
