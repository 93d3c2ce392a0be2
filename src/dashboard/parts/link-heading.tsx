import type { ComponentChildren } from 'preact';
import type { Link } from '../api-types.ts';
import { readableUrl, shortOf } from '../short.ts';
import { bare } from '../words.ts';
import { ShortText } from './short-text.tsx';

interface LinkHeadingProps {
  readonly link: Pick<Link, 'domain' | 'suffix' | 'name' | 'destination_url'>;
  /** The page of the link, where it has one. */
  readonly href?: string;
  /** What can be done with the short address, beside it. */
  readonly children?: ComponentChildren;
}

/** What a row of a list tells first of its link: its short address, its name, and where it leads. */
export function LinkHeading({ link, href, children }: LinkHeadingProps) {
  return (
    <div class="row-main">
      <div class="row-first">
        {href === undefined ? (
          <span class="row-short" title={readableUrl(link)}>
            <ShortText link={link} />
          </span>
        ) : (
          <a class="row-short" href={href} data-row-link aria-label={shortOf(link)} title={readableUrl(link)}>
            <ShortText link={link} />
          </a>
        )}
        {children}
        {link.name && (
          <span class="row-name soft cut" dir="auto" title={link.name}>
            {link.name}
          </span>
        )}
      </div>
      <p class="soft small cut" title={link.destination_url}>
        {bare(link.destination_url)}
      </p>
    </div>
  );
}
