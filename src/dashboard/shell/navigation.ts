import type { IconName } from '../parts/icons.tsx';
import { navigate, path } from '../router.ts';

export const navigation: readonly { readonly to: string; readonly name: string; readonly icon: IconName }[] =
  [
    { to: '/app', name: 'Links', icon: 'link' },
    { to: '/app/stats', name: 'Statistics', icon: 'chart' },
    { to: '/app/tags', name: 'Tags', icon: 'tag' },
    { to: '/app/domains', name: 'Domains', icon: 'globe' },
    { to: '/app/organization', name: 'Organization', icon: 'people' },
  ];

/** Focuses the field that creates links, on whatever page. */
export function focusNewLink(): void {
  if (path.value !== '/app') navigate('/app');
  requestAnimationFrame(() => document.getElementById('new-link')?.focus());
}
