import { type Classification, classOfVisitor, type VisitorSigns } from '../click-class.ts';
import type { AgentKind, Device } from '../link-rules/visitor.ts';
import { isDesktopModePad } from './agent-system.ts';

/**
 * A visitor's kind, by the same function that classifies hits. A client without a user agent is a script. No client is
 * refused because of missing headers: a proxy may have removed them.
 */
export function agentKind(signs: VisitorSigns, ofAgent?: (userAgent: string) => Classification): AgentKind {
  const { class: found, reason } = classOfVisitor(signs, ofAgent);
  if (found === 'human' || reason === 'no_browser_headers') return 'person';
  return found === 'preview' ? 'preview' : 'bot';
}

/**
 * Client hints come first: the browser states its system in them on purpose, while a user agent may pretend. An iPad that asks
 * for desktop pages calls itself a Macintosh; app browsers on it can still be recognised. Safari on it can't, and is taken for
 * the Mac that it claims to be.
 */
export function deviceOf(userAgent: string | null, platformHint: string | null): Device {
  if (platformHint) {
    const platform = platformHint.replaceAll('"', '').trim().toLowerCase();
    if (platform === 'android') return 'android';
    if (platform === 'ios' || platform === 'ipados') return 'ios';
    if (platform !== '' && platform !== 'unknown') return 'other';
  }
  if (!userAgent || /windows phone|kaios/i.test(userAgent)) return 'other';
  // There are Android tablets called MiPad and HiPad. Facebook's lighter views name only their app.
  if (/android|^\[FB\w+\/(?:FB4A|Orca)/i.test(userAgent)) return 'android';
  return /\b(?:iphone|ipad|ipod)\b/i.test(userAgent) || isDesktopModePad(userAgent) ? 'ios' : 'other';
}
