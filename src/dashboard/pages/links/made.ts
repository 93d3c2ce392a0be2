import type { Link } from '../../api-types.ts';
import type { Answer } from '../../client.ts';
import { call } from '../../client.ts';
import type { NewLinkInput } from './new-link-options.tsx';

/** What became of one line. */
export type Outcome =
  | { readonly kind: 'made'; readonly link: Link }
  | { readonly kind: 'refused'; readonly url: string; readonly sentence: string };

const shared = ({ domain, tags }: NewLinkInput) => ({
  ...(domain && { domain }),
  ...(tags.length > 0 && { tags: tags.map(({ id }) => id) }),
});

export const makeLink = (url: string, input: NewLinkInput): Promise<Link> =>
  call('POST /api/v1/link', {
    body: {
      destination_url: url,
      ...(input.suffix.trim() && { suffix: input.suffix.trim() }),
      ...shared(input),
    },
  });

export async function makeLinks(urls: readonly string[], input: NewLinkInput): Promise<readonly Outcome[]> {
  const { results } = await call('POST /api/v1/link/bulk', {
    body: { links: urls.map((destination_url) => ({ destination_url, ...shared(input) })) },
  });
  return results.map((result, index) => outcomeOf(result, urls[index] ?? ''));
}

type Result = Answer<'POST /api/v1/link/bulk'>['results'][number];

const outcomeOf = (result: Result, url: string): Outcome =>
  'link' in result
    ? { kind: 'made', link: result.link }
    : { kind: 'refused', url, sentence: result.error.error_string };

export const linksIn = (outcomes: readonly Outcome[]): readonly Link[] =>
  outcomes.flatMap((outcome) => (outcome.kind === 'made' ? outcome.link : []));

export const refusedIn = (outcomes: readonly Outcome[]): readonly string[] =>
  outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? outcome.url : []));
