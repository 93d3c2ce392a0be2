import type { Link } from '../api-types.ts';
import { StatsBoard } from '../stats/board.tsx';

export function LinkStats({ link }: { link: Link }) {
  return <StatsBoard scope={{ kind: 'link', link }} />;
}
