import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { setTo } from '../handlers.ts';
import markUrl from '../mark.svg';
import { notify, notifyError } from '../notices.ts';
import { useOwnDomains } from '../own-domains.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icons.tsx';
import { Menu, MenuItem } from '../parts/menu.tsx';
import { leaveBy, navigate, path } from '../router.ts';
import { me, signOut } from '../session.ts';
import { currentShortcuts, type Shortcut, useShortcuts } from '../shortcuts.ts';
import { setTheme, theme } from '../theme.ts';
import { focusNewLink, navigation } from './navigation.ts';
import { Palette } from './palette.tsx';

const isAt = (to: string, at: string): boolean =>
  to === '/app' ? at === '/app' || at === '/app/' || at.startsWith('/app/links') : at.startsWith(to);

/** The frame around every page of a signed-in user. */
export function Shell({ children }: { children: ComponentChildren }) {
  const open = useSignal<'palette' | 'shortcuts' | null>(null);
  const showPalette = setTo(open, 'palette');
  const showShortcuts = setTo(open, 'shortcuts');
  // Loads the names of own domains: every page shows the domain of a link in its own script.
  useOwnDomains();
  useShortcuts([
    { key: 'Ctrl K', description: 'Find anything', act: showPalette },
    { key: '?', description: 'Show these shortcuts', act: showShortcuts },
    { key: 'c', description: 'New link', act: () => focusNewLink() },
  ]);
  return (
    <>
      <a class="button skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <div class="beside">
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

const nextTheme = { system: 'light', light: 'dark', dark: 'system' } as const;
const themeNames = { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' } as const;

function AccountMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const user = me.value;
  if (!user) return null;
  const leave = () => void signOut().then(() => navigate('/app/sign-in', { force: true }), notifyError);
  return (
    <Menu label="My account" button={<Icon name="person" size={20} />} class="button plain icon">
      <a href="/app/account">
        <span class="cut">
          My account
          <br />
          <span class="soft small">{user.email}</span>
        </span>
      </a>
      <hr />
      <MenuItem
        label={themeNames[theme.value]}
        onClick={() => {
          const chosen = nextTheme[theme.value];
          setTheme(chosen);
          notify(`${themeNames[chosen]}.`);
        }}
      />
      <MenuItem label="Keyboard shortcuts" onClick={onShortcuts} />
      <a href="/docs" target="_blank" rel="noreferrer">
        API reference
      </a>
      <hr />
      <MenuItem label="Sign out" onClick={() => leaveBy(leave)} />
    </Menu>
  );
}

/** The shortcuts of the current page. */
function Shortcuts({ onClose }: { onClose: () => void }) {
  const latestFirst = currentShortcuts.value.toReversed();
  const shown = latestFirst.filter(
    ({ key }: Shortcut, index) => latestFirst.findIndex((other) => other.key === key) === index,
  );
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="shortcuts">
        {shown.map(({ key, description }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
