import { isDesktopModePad } from './agent-system.ts';
import type { DeviceKind } from './click-fields.ts';

const machine = /(?<!cu)bots?\b|crawl|spider|slurp|headless/i;

/** Televisions, what is plugged into them, and game consoles, by what their makers call them. */
const television =
  /smart-?tv|smarthub|(?:^|[\W_])(?:g|mi ?|smart ?|android ?|google ?|apple ?|i|philips|net|linux|hbb|opera |and)?tv(?:[\W_]|$)|\btv (?:bro|box|store|stick)|mitv-|\bAFT[A-Z]\w*|bravia|crkey|\broku|netcast|web0s|hbbtv|ce-html|vidaa|viera|inettv|sonydtv|[\W_]dtv[\W_\d]|vizio|\bomi\/|vestel|lg browser|large screen|brightsign|shield android|playstation|xbox|nintendo|chromecast|nexus player|mibox|blu-ray|gfiber|google fiber|plutotv|tesla_tv/i;

/** Boxes and televisions that run Android and call themselves by their model alone. */
const androidTelevision =
  /[\W_]shell[_ ]|\b\w+ box\b|\b(?:X9[26]\b|H96|T95|TX[2369]|HK1|A95X|MXQ|M8S|MXIII|KM[2-9]|MECOOL|Ugoos|MyGica|Tanix|GTX-R|GT-?King|KIVI|\d{2}H[67]\d{2}[A-Z]{2}|TF-LED|U\d{2}[A-Z]\d{4}\w?|\d{2}L[A-Z]\d{3}\w*|TOUCAN|WIWA|NEXON|Z28|TB-G01|VMP\d{3}|AS_4K|DIGIFORS|ProVision|Perfeo|Polar_P|MITO_|LEAP-S|KJ-SMART|GI UNI|iconBIT Stick|BeyondTV|NEO-[XUZ]\d|MINIX|ADT-[123]|DV\d{4}|BDP-|STB|TPM\d|QM\d{3}|AEO[A-Z]{2})/i;

/** Tablets by the names of their models, for those that ask for a telephone's pages. */
const tablet =
  /\biPad\b|\bTablets?\b(?! PC)|[a-z]Tab\b|\bTab(?:[ _-]?\w*\d|[ _]\w|\b)|(?<!Think|Phone)Pad(?:\b|[ _-]?\w*\d)|[a-z]PAD\b|\b[A-Z]+PAD\b|\bPAD\b|(?:Mate|Media|Magic|Leo|Max|Mi|Hi|N)[Pp]ad|SM-[TXP]\d{3}|GT-[PN](?:1|3|5|6|7|8)\d{3}|SCH-I[89]\d\d\b|SGH-T849|Lenovo[ _](?:TB|YT|YB)|\bTB\d{3}\w*|\bTB-?[\dX]\w*|\bYT[3-9]?-\w|\bKF[A-Z]{3,5}\b|Kindle|Nexus (?:7|8|9|10)\b|Pixel (?:C\b|Tablet)|PlayBook|NOOK|\bBNTV|\bXoom\b|Transformer|-(?:W|WA)(?:0\d|1\d|60)\b|\bLG-V\d{3}|\bSGP\d{3}|HTC[ _]Flyer|\biPA\d{4}|\bEX7X\d|\bTMRV\w*TB\b|\bAZIMUT|\bT\d{2} ?Mini|\bTG ?\d{2}\b|\bL16 Max|\bCW-V|\bCRONY-|\bPC-T[ES]\d|\bODYS|\bArchos \d|\bVersus ?Touch|\bQMV7|\b2[34]\d{3}(?:RP|RN8E|RPD)\w*|\bM-M?P\d/;

const telephone =
  /^\[FB|Mobi|\biP(?:hone|od)\b|Phone|BlackBerry|\bBB10\b|Opera Mini|Opera Mobi|Symbian|Series ?[46]0|S60V|MIDP|\bUP\.(?:Browser|Link)|UCWEB|KAIOS|\bNokia|\bBada\b|IEMobile|Windows CE|J2ME|NetFront|Maemo|Fennec|SonyEricsson|\bMOT-|DoCoMo|SAMSUNG-|\b[A-Z]{3,6}-?\w+\/[\d.]+ .*Profile|Sailfish|OneBrowser/;

export function deviceKind(userAgent: string): DeviceKind {
  if (machine.test(userAgent)) return 'other';
  if (television.test(userAgent) && !/Lumia/.test(userAgent)) return 'tv';
  if (isDesktopModePad(userAgent)) return 'tablet';
  const isAndroid = /Android/i.test(userAgent) && !/Windows (?:Phone|NT|IoT)/.test(userAgent);
  if (isAndroid && androidTelevision.test(userAgent)) return 'tv';
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
