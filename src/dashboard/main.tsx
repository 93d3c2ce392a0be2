import { render } from 'preact';
import { App } from './app.tsx';
import { keepFocus } from './focus.ts';
import { start } from './session.ts';
import { useChosenTheme } from './theme.ts';

useChosenTheme();
keepFocus();
void start();
const root = document.getElementById('app');
if (root) render(<App />, root);
