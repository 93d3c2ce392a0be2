import { copyText } from '../../parts/copy.tsx';

/**
 * Copies a text that is still on its way. Some browsers let a page write to the clipboard only in the very moment of
 * a key or a click: there the promise is handed over at once.
 */
export async function copyComing(coming: Promise<string>): Promise<boolean> {
  try {
    const item = new ClipboardItem({
      'text/plain': coming.then((text) => new Blob([text], { type: 'text/plain' })),
    });
    await navigator.clipboard.write([item]);
    return true;
  } catch {
    return coming.then(copyText, () => false);
  }
}
