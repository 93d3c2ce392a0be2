import { escapeHtml } from '../http/html.ts';

export const button =
  'display:inline-block;padding:12px 20px;border-radius:8px;background:#a3182f;color:#ffffff;font-weight:600;text-decoration:none';
export const small = 'font-size:14px;word-break:break-word';

/** Mail programs know little of style sheets: what there is stands at each element. */
export const letterPage = (title: string, parts: readonly string[]): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto">
${parts.join('\n')}
</div>
</body>
</html>
`;
