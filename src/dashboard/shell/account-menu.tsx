import { say, sayError } from '../notices.ts';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { navigate } from '../router.ts';
import { me, signOut } from '../session.ts';
import { setTheme, theme } from '../theme.ts';

const nextTheme = { system: 'light', light: 'dark', dark: 'system' } as const;
const themeNames = { system: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' } as const;

export function AccountMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const user = me.value;
  if (!user) return null;
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
      <button
        type="button"
        onClick={() => {
          const chosen = nextTheme[theme.value];
          setTheme(chosen);
          say(`${themeNames[chosen]}.`);
        }}
      >
        {themeNames[theme.value]}
      </button>
      <button type="button" onClick={onShortcuts}>
        Keyboard shortcuts
      </button>
      <a href="/docs" target="_blank" rel="noreferrer">
        API reference
      </a>
      <hr />
      <button type="button" onClick={() => signOut().then(() => navigate('/app/sign-in'), sayError)}>
        Sign out
      </button>
    </Menu>
  );
}
