import { KeptBundle } from '../../bundle/kept-bundle.ts';

/** Where the captcha page finds its script: below a first segment that is reserved on every domain we answer for. */
export const captchaScriptPath = '/_linnet/captcha.js';

export const captchaScript = new KeptBundle(
  new URL('./captcha-client.ts', import.meta.url),
  ([script]): Uint8Array<ArrayBuffer> => {
    if (!script) throw new Error('the captcha script was bundled to nothing');
    return script.bytes;
  },
);
