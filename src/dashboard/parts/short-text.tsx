import type { Link } from '../api-types.ts';
import { hostOf } from '../short.ts';

/** A short link of which the domain is cut first where there is no room: links differ in what comes after it. */
export function ShortText({ link }: { link: Pick<Link, 'domain' | 'suffix'> }) {
  return (
    <span class="short-text">
      <span class="cut">{hostOf(link)}</span>
      <span class="cut">/{link.suffix}</span>
    </span>
  );
}
