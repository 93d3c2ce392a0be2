import { signal } from '@preact/signals';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const storageKey = 'linnet.theme';
const asTheme = (text: string | null): Theme => themes.find((one) => one === text) ?? 'system';

export const theme = signal<Theme>('system');

export function useChosenTheme(): void {
  try {
    setTheme(asTheme(localStorage.getItem(storageKey)));
  } catch {
    // Without storage the system's theme is used.
  }
}

export function setTheme(chosen: Theme): void {
  theme.value = chosen;
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  try {
    localStorage.setItem(storageKey, chosen);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
