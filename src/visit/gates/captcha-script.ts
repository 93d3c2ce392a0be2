import { CachedBundle } from '../../bundle/bundle-cache.ts';

/** The path of the captcha page's script: its first segment is reserved on every domain. */
export const captchaScriptPath = '/_linnet/captcha.js';

export const captchaScript = new CachedBundle(
  'captcha',
  new URL('./captcha-client.ts', import.meta.url),
  ([script]): Uint8Array<ArrayBuffer> => {
    if (!script) throw new Error('the captcha script was bundled to nothing');
    return script.plain;
  },
);
