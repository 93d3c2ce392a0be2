/** The only script on visitors' pages: it computes the proof of work after a click, and submits it. */
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2';

interface PageElement {
  readonly dataset: Record<string, string | undefined>;
  textContent: string | null;
  value: string;
  disabled: boolean;
  addEventListener(event: string, listener: (event: { preventDefault(): void }) => void): void;
  submit(): void;
}

declare const isSecureContext: boolean;
declare const history: { replaceState(state: null, title: ''): void };
declare const location: { reload(): void };
declare function addEventListener(
  event: 'pageshow',
  listener: (event: { readonly persisted: boolean }) => void,
): void;
declare const document: { querySelector(selector: string): PageElement | null };

const form = document.querySelector('form');
const answer = document.querySelector('input[name=altcha]');
const button = document.querySelector('button');
const status = document.querySelector('[role=status]');

// This page may be the answer to a form, which the browser would ask to send again when the visitor comes back.
history.replaceState(null, '');

// When a visitor comes back, some browsers show the page as it was left: its button disabled, its challenge used.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

form?.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (!answer || !button || !status) return;
  if (!isSecureContext) {
    status.textContent = 'Browsers do this check on https addresses only. Tell whoever gave you the link.';
    return;
  }
  button.disabled = true;
  status.textContent = 'Checking. This takes a moment.';
  try {
    const challenge = JSON.parse(form.dataset.challenge ?? '');
    const solution = await solveChallenge({ challenge, deriveKey });
    if (!solution) throw new Error('no solution in time');
    answer.value = btoa(JSON.stringify({ challenge, solution }));
    form.submit();
  } catch {
    button.disabled = false;
    status.textContent = 'This browser could not finish the check. Reload the page and try again.';
  }
});
