import type { ComponentChildren } from 'preact';
import type { Link } from '../api-types.ts';
import { withoutScheme } from '../format.ts';
import { hostOf, nameOf, readableUrl, shortOf } from '../short-links.ts';
import { SiteIcon } from './site-icon.tsx';

interface LinkHeadingProps {
  readonly link: Pick<Link, 'domain' | 'suffix' | 'name' | 'destination_url'> &
    Partial<Pick<Link, 'destination_title' | 'destination_icon'>>;
  /** The page of the link, if it has one. */
  readonly href?: string;
  /** Beside the short address. */
  readonly children?: ComponentChildren;
}

/** The first column of a link's row: its short address, name and destination. */
export function LinkHeading({ link, href, children }: LinkHeadingProps) {
  // Without a name, the title of the destination is shown.
  const name = nameOf(link) ?? link.destination_title;
  return (
    <div class="row-main">
      <div class="row-first beside">
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
        {name && (
          <span class="row-name soft cut" dir="auto" title={name}>
            {name}
          </span>
        )}
      </div>
      <p class="soft small cut" title={link.destination_url}>
        {link.destination_icon && <SiteIcon src={link.destination_icon} />}
        {withoutScheme(link.destination_url)}
      </p>
    </div>
  );
}

/** A short link whose domain is truncated first if there is little room, because links differ in their suffix. */
export function ShortText({ link }: { link: Pick<Link, 'domain' | 'suffix'> }) {
  return (
    <span class="short-text">
      <span class="cut">{hostOf(link)}</span>
      <span class="cut">/{link.suffix}</span>
    </span>
  );
}
