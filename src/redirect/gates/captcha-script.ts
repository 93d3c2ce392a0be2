/** Where the captcha page finds its script: below a first segment that is reserved on every domain we answer for. */
export const captchaScriptPath = '/_linnet/captcha.js';

let bundled: Promise<string> | undefined;

/** Bundled when the first page asks for it, then kept. */
export function captchaScript(): Promise<string> {
  bundled ??= bundle().catch((cause) => {
    bundled = undefined;
    throw cause;
  });
  return bundled;
}

async function bundle(): Promise<string> {
  const built = await Bun.build({
    entrypoints: [Bun.fileURLToPath(new URL('./captcha-client.ts', import.meta.url))],
    target: 'browser',
    minify: true,
  });
  const [script] = built.outputs;
  if (!script) throw new Error('the captcha script could not be bundled');
  return script.text();
}
