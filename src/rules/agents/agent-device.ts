import type { DeviceKind } from '../click-fields.ts';
import { kindOfModel, tablet } from './agent-models.ts';
import { isDesktopModePad } from './agent-system.ts';

const machine = /(?<!cu)bots?\b(?! tab)|crawl|spider|slurp|headless/i;

/** Televisions, devices plugged into them, and game consoles, by their makers' names for them. */
const television =
  /smart-?tv|smarthub|(?:^|[\W_])(?:g|mi ?|smart ?|android ?|google ?|apple ?|i|philips|net|linux|hbb|opera |and)?tv(?:[\W_]|$)|\btv (?:bro|box|store|stick)|mitv-|\bAFT[A-Z]\w*|bravia|crkey|\broku|netcast|web0s|hbbtv|ce-html|vidaa|viera|inettv|\bmaple[ _]?\d|\bwebtv|sonydtv|[\W_]dtv(?<!android [^)]*)[\W_\d]|vizio|\bomi\/|vestel|lg browser|large screen|brightsign|shield android|playstation|xbox|nintendo|chromecast|nexus player|mibox|blu-ray|gfiber|google fiber|plutotv|tesla_tv|tclwebkit/i;

const telephone =
  /^(?:LightSpeed )?\[FB|Mobi(?!lity)|\biP(?:hone|od)\b|Phone|BlackBerry|\bBB10\b|Opera Mini|Opera Mobi|Symbian|Series ?[46]0|S60V|MIDP|\bUP\.(?:Browser|Link)|UCWEB|KAIOS|\bNokia|\bBada\b|IEMobile|Windows CE|J2ME|NetFront|Maemo|Fennec|SonyEricsson|\bMOT-|DoCoMo|SAMSUNG-|\b[A-Z]{3,6}-?\w+\/[\d.]+ .*Profile|Sailfish|OneBrowser/;

export function deviceKind(userAgent: string): DeviceKind {
  if (machine.test(userAgent)) return 'other';
  if (television.test(userAgent) && !/Lumia/.test(userAgent)) return 'tv';
  if (isDesktopModePad(userAgent)) return 'tablet';
  const isAndroid = /Andr[o0]id/i.test(userAgent) && !/Windows (?:Phone|NT|IoT)/.test(userAgent);
  const kind = isAndroid ? kindOfModel(userAgent) : null;
  if (kind !== null) return kind;
  if (!/Windows NT|Macintosh; (?:U; )?(?:Intel|PPC)/.test(userAgent) && tablet.test(userAgent))
    return 'tablet';
  if (/Windows NT.*(?:\bARM; Trident)/.test(userAgent)) return 'tablet';
  if (telephone.test(userAgent)) return 'mobile';
  if (isAndroid) return 'tablet';
  return /X11|Linux|Windows|Macintosh|Mac_PowerPC|Win9|CrOS|Amiga|MorphOS|BeOS|Haiku|BSD|SunOS|CYGWIN|Ubuntu|Syllable|OS\/2/i.test(
    userAgent,
  )
    ? 'desktop'
    : 'other';
}
