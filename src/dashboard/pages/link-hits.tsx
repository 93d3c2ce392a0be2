import type { Link } from '../api-types.ts';
import { HitFeed } from '../stats/hit-feed.tsx';

export function LinkHits({ link }: { link: Link }) {
  return <HitFeed scope={{ kind: 'link', link }} />;
}
