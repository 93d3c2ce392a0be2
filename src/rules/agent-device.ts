import { isDesktopModePad } from './agent-system.ts';
import type { DeviceKind } from './click-fields.ts';

const machine = /(?<!cu)bots?\b|crawl|spider|slurp|headless/i;

/** Televisions, what is plugged into them, and game consoles, by what their makers call them. */
const television =
  /smart-?tv|smarthub|(?:^|[\W_])(?:g|mi ?|smart ?|android ?|google ?|apple ?|i|philips|net|linux|hbb|opera |and)?tv(?:[\W_]|$)|\btv (?:bro|box|store|stick)|mitv-|\bAFT[A-Z]\w*|bravia|crkey|\broku|netcast|web0s|hbbtv|ce-html|vidaa|viera|inettv|sonydtv|[\W_]dtv[\W_\d]|vizio|\bomi\/|vestel|lg browser|large screen|brightsign|shield android|playstation|xbox|nintendo|chromecast|nexus player|mibox|blu-ray|gfiber|google fiber|plutotv|tesla_tv|tclwebkit/i;

/**
 * Boxes and televisions that run Android, by what their models have in common: a box, TV, LED, UHD or 4K in the name, a
 * screen's inches in front of it, the chip of a box, or a build of the branch for televisions (PTT1, QTS1, UTT3).
 */
const androidTelevision = new RegExp(
  [
    String.raw`box(?:[\W_]|$)`,
    String.raw`[\W_]shell[_ ]|(?:\b|[a-z])4K(?:[\W_]|$)|UHD|QLED|OLED|LED\d\d|DVB|IPTV|\bSTV[_-]`,
    String.raw`\b(?:19|2[02468]|3[29]|4[0-39]|5[0458]|6[05]|7[057]|8[56]|98)[A-Z]{1,4}-?\d{2,}`,
    String.raw`\b(?:rk3\d{3}|s9(?:05|12|22)\w*|p28\d|q20\d|rtd\d{3}\w|amlogic|meson)\b`,
    String.raw`(?<![-\w])(?:X(?:88|9[268])|H96|T95|TX[2369]|HK1|A95X|MXQ|M8S|MXIII|KM[2-9]|MAG\d{3}|AM6B|GTX-R|Z28|DVS X|TVB-\d|i96|MX10|V88|8K\d{4})\w*\b`,
    String.raw`MECOOL|Ugoos|MyGica|Tanix|GT-?King|KIVI|MINIX|NEO[- ][XUZ]\d|TOUCAN|WIWA|NEXON|DIGIFORS|BeyondTV|Formuler|S_TURBO|Magicsee|N5NOVA|TranSpeed|Rombica`,
    String.raw`\b(?:TB-G01|VMP\d{3}|AS_4K|ProVision|Perfeo|Polar_P|MITO_|LEAP-S|KJ-SMART|GI UNI|iconBIT Stick)`,
    String.raw`\b(?:ADT-[123]|DV\d{4}|BDP-|STB|TPM\d|QM\d{3}|X-MEDIA|Smart_Starwind|HiSmart|ARTLINE)`,
    String.raw`\bU\d{2}[A-Z]\d{4}|\b\d{2}L[A-Z]\d{3}`,
  ].join('|'),
  'i',
);
const televisionBuild = /TV\d*(?:[\W_]|$)|Build\/[P-V]T[A-Z]{1,2}\d/;

/** Tablets by the names of their models, for those that ask for a telephone's pages. */
const tablet = new RegExp(
  [
    String.raw`\biPad\b|\bTablets?\b(?! PC)|_Tablet_|[a-z]Tab\b|\bTAB\d|\bTab(?:[ _-]?\w*\d|[ _]\w|\b)`,
    String.raw`(?<!Think|Phone)Pad(?:\b|[ _-]?\w*\d|_)|[a-z]PAD\b|\b[A-Z]+PAD\b|_PAD_|\bPAD\b`,
    // Amazon, Google, Samsung, Sony, HTC, LG, Motorola, Barnes & Noble
    String.raw`\bKF[A-Z]{3,5}\b|Kindle|Nexus (?:7|8|9|10)\b|Pixel (?:C\b|Tablet)|SM-[TXP]\d{3}|GT-[PN](?:1|3|5|6|7|8)\d{3}`,
    String.raw`SCH-I[89]\d\d\b|SGH-T849|\bSGP\d{3}|\bSOT\d\d|HTC[ _]Flyer|\bLG-V\d{3}|\bLGT\d\d|\bXoom\b|NOOK|\bBNTV`,
    // Huawei and Honor
    String.raw`-(?:W|WA)(?:0\d|1\d|60)\b|\b(?:AGS|AGR|AGM|BAH|BTK|BTV|BZ[ACHIKTW]|CPN|CMR|DBY|DBR|FDR|GOT|HDN|HEY|JDN|KOB|KJR|MRR|MRX|NDL|ROD|SCM|SHT|VRD|WGR)R?\d?-\w{3,6}|HUAWEI M[23]-|\bHWT\d\d`,
    // Lenovo
    String.raw`Lenovo[ _](?:TB|YT|YB)|\bTB\d{3}\w*|\bTB-?[\dX]\w*|\bY[TB][1-9]?-\w|\bLenovo [AS]\d{4}-[HFL]`,
    // Xiaomi, OPPO, OnePlus, realme, vivo
    String.raw`\b2\d{3,5}[A-Z]?RP\w*|\b2(?:1051182|2081283|105113\d)\w*|\bM2105K81|\bOPD2\d{3}|\bRMP\d{4}|\bi?PA2\d{3}\b`,
    // TCL and Alcatel: their telephones have lower numbers
    String.raw`; [89]\d{3}[A-Z]?(?:_\w+)?(?: Build|;|\))`,
    // Teclast, Chuwi, Alldocube, Doogee, Oukitel, Digma, Prestigio, Irbis, Acer, Asus, HP, Dell
    String.raw`\b[PMTX]\d{2}\w*\(\w{4}\)|\bT[2345]0 ?(?:PRO|Plus|HD|Air|S|Mini)|\bTLA\d{3}|\bCW-V|\biPlay|\bRT[1-9]\b|\bP[ST]\d{4}[MP][GL]`,
    String.raw`\bPM[TP]\d{4}|\bTZ\d{3}\b|\b[AB]\d-[A-Z]?\d{2}\w?\b|\b[KP]0[01]\w\b|\bME\d{3}\w?\b|\bSlate\b|\bVenue\b|Transformer|PlayBook`,
    // Japan's and others
    String.raw`\bd-\d\d[A-Z]\b|\bPC-T[ES]\d|\bKYT3\d|\bTMRV\w*TB\b|\bQMV\d|\bQTA\w|\bEX7X\d|\bAZIMUT|\bTG ?\d{2}\b|\bL16 Max|\bCRONY-|\bODYS|\bArchos \d|\bM-M?P\d|\bETL-T|\bEBEN\b|\bN(?:AVITEL|avitel)[ _]`,
    // The application for tablets
    String.raw`\/apad\b`,
  ].join('|'),
);

const telephone =
  /^(?:LightSpeed )?\[FB|Mobi|\biP(?:hone|od)\b|Phone|BlackBerry|\bBB10\b|Opera Mini|Opera Mobi|Symbian|Series ?[46]0|S60V|MIDP|\bUP\.(?:Browser|Link)|UCWEB|KAIOS|\bNokia|\bBada\b|IEMobile|Windows CE|J2ME|NetFront|Maemo|Fennec|SonyEricsson|\bMOT-|DoCoMo|SAMSUNG-|\b[A-Z]{3,6}-?\w+\/[\d.]+ .*Profile|Sailfish|OneBrowser/;

/** Of what stands in the user agent's first brackets, where the model is. */
function isAndroidTelevision(userAgent: string): boolean {
  const start = userAgent.indexOf('(');
  const model = start < 0 ? userAgent : userAgent.slice(start, userAgent.indexOf(')', start) + 1);
  return androidTelevision.test(model) || televisionBuild.test(model);
}

export function deviceKind(userAgent: string): DeviceKind {
  if (machine.test(userAgent)) return 'other';
  if (television.test(userAgent) && !/Lumia/.test(userAgent)) return 'tv';
  if (isDesktopModePad(userAgent)) return 'tablet';
  const isAndroid = /Android/i.test(userAgent) && !/Windows (?:Phone|NT|IoT)/.test(userAgent);
  if (isAndroid && isAndroidTelevision(userAgent)) return 'tv';
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
