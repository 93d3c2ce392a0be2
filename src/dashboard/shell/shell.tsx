import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { setTo } from '../handlers.ts';
import { useKeys } from '../keys.ts';
import markUrl from '../mark.svg';
import { useOwnDomains } from '../own-domains.ts';
import { Icon } from '../parts/icons.tsx';
import { path } from '../router.ts';
import { AccountMenu } from './account-menu.tsx';
import { navigation, newLink } from './navigation.ts';
import { Palette } from './palette.tsx';
import { Shortcuts } from './shortcuts.tsx';

const isAt = (to: string, at: string): boolean =>
  to === '/app' ? at === '/app' || at === '/app/' || at.startsWith('/app/links') : at.startsWith(to);

/** The frame around every page of a signed-in user. */
export function Shell({ children }: { children: ComponentChildren }) {
  const open = useSignal<'palette' | 'shortcuts' | null>(null);
  const showPalette = setTo(open, 'palette');
  const showShortcuts = setTo(open, 'shortcuts');
  // Every page shows the domain of a link in its own script.
  useOwnDomains();
  useKeys([
    { key: 'Ctrl K', does: 'Find anything', act: showPalette },
    { key: '?', does: 'Show these shortcuts', act: showShortcuts },
    { key: 'c', does: 'New link', act: () => newLink() },
  ]);
  return (
    <>
      <a class="button skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <div>
          <a class="brand" href="/app">
            <img src={markUrl} alt="" />
            Linnet
          </a>
          <nav class="nav" aria-label="Main">
            {navigation.map(({ to, name, icon }) => (
              <a key={to} href={to} aria-current={isAt(to, path.value) ? 'page' : undefined}>
                <Icon name={icon} size={20} />
                {name}
              </a>
            ))}
          </nav>
          <button type="button" class="button plain" onClick={showPalette} aria-label="Find anything, Ctrl K">
            <Icon name="search" />
            <span class="palette-label">
              <kbd>Ctrl K</kbd>
            </span>
          </button>
          <AccountMenu onShortcuts={showShortcuts} />
        </div>
      </header>
      <main class="main" id="main" tabIndex={-1}>
        {children}
      </main>
      {open.value === 'palette' && <Palette onClose={setTo(open, null)} />}
      {open.value === 'shortcuts' && <Shortcuts onClose={setTo(open, null)} />}
    </>
  );
}
