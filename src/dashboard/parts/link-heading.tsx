import type { ComponentChildren } from 'preact';
import type { Link } from '../api-types.ts';
import { hostOf, readableUrl, shortOf } from '../short.ts';
import { bare } from '../words.ts';

interface LinkHeadingProps {
  readonly link: Pick<Link, 'domain' | 'suffix' | 'name' | 'destination_url'>;
  /** The page of the link, where it has one. */
  readonly href?: string;
  /** Beside the short address. */
  readonly children?: ComponentChildren;
}

/** The first column of a link's row: its short address, name and destination. */
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

/** A short link whose domain is cut first where there is little room, as links differ in their suffix. */
export function ShortText({ link }: { link: Pick<Link, 'domain' | 'suffix'> }) {
  return (
    <span class="short-text">
      <span class="cut">{hostOf(link)}</span>
      <span class="cut">/{link.suffix}</span>
    </span>
  );
}
