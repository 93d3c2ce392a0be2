import { render } from 'preact';
import { App } from './app.tsx';
import { start } from './session.ts';
import { useChosenTheme } from './theme.ts';

useChosenTheme();
void start();
const root = document.getElementById('app');
if (root) render(<App />, root);
