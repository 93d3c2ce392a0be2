/**
 * Models of Android devices, which follow Android's version in the user agent. A maker of only one kind of device is recognised
 * by its name, because looking up a word costs the same however many there are. For the others a pattern matches what their
 * models have in common.
 */

/** Makers of boxes, projectors and televisions, operators with boxes of their own, and words for such devices. */
const televisionWords = new Set(
  `mecool ugoos mygica tanix kivi toucan wiwa nexon digifors formuler magicsee transpeed rombica perfeo artline zidoo dune vontar
  beelink minix nexbox sunvell scishion vorke egreat himedia tronsmart rikomagic measy zappiti buzztv dreamlink xtreamer wetek probox
  leelbox bqeel goobang evpad ubox svicloud dynalink homatics xgimi jmgo dangbei coocaa selenga sternenschein dykemann hiremco redline
  sencrom korax ecostar multynet indurama magenta magentatv duotv ailetv qupi caixun fision ergogs limez ezcast veolo rkm homesync
  freebox bouygteltv bbox humax sagemcom arris technicolor kaon geniatech pendoo pivos matricom chromebox amiko openbox octagon
  dreambox vuplus gigablue metz loewe sceptre westinghouse seiki yasin hiberg skyline starwind soundmax erisson topdevice vekta
  novex tivo matador netta goldmaster megamax prismplus maunfeld fenoti everfine tuvio asano nogapc globmall skystream dangcaphd stb
  ott hdmi dongle iptv droidlogic redrobox projector mitv androidtv googletv`.split(/\s+/),
);

/** Makers of tablets, and product names used only for tablets. */
const tabletWords = new Set(
  `xelio aquila clanga aoson novo ainovo arnova protab ramosi softwiner softwinerevb navitel crony odys eben azimut iconia monza
  ideapad xoom kobo flytouch lepan mediapad ideatab yogatab galapad hannspad pocketbook wondro advent alcor artes
  nextbook newsmy pandigital positivotab craig telpad wintouch techpad startab klipad numy smailo readboy flexpai
  hotreals mid surftab enduro playpad zenpad memopad`.split(/\s+/),
);

/**
 * A box, TV, LED, UHD or 4K in the name, a screen size in front of letters, the chip of a box, a build of the branch for
 * televisions (PTT1, QTS1, UTT3), or one of the two builds of most boxes with Android 10 and 11.
 */
const television = new RegExp(
  [
    String.raw`box(?:[\W_]|$)|STB\d|\bmedia (?:stick|player|hub)|-stream\b|\bH-DMP\d|fengmi|ozonehd|Proj(?:ector|[A-Z]\d)`,
    String.raw`[\W_]shell[_ ]|(?:\b|[a-z])[48]K(?:[\W_]|$)|UHD|QLED|OLED|LED\d\d|DVB|IPTV|\bSTV[_-]`,
    String.raw`(?:\b|_)(?:19|2[02468]|3[29]|4[0-39]|5[0458]|6[05]|7[057]|8[56]|98)(?:[A-Z]{1,4}-?\d{2,}|[A-Z]{2}-[A-Z]{2})`,
    String.raw`\b(?:[A-Z]|[A-Z]{2,6}[-_]?)(?:24|32|39|4[0-39]|5[058]|6[05]|7[05]|8[56]|98)(?:[A-Z]{2,4}\d{2}|[A-Z]{3,}\d)`,
    String.raw`\b[A-Z]{2,4}-(?:24|32|39|4[0-39]|5[058]|6[05]|7[05]|8[56]|98)[A-Z]{2,}\b|; TV[A-Z]{0,2}[-_ ]|\bCT-8[89]\d\d`,
    String.raw`\b(?:rk3\d{3}|s9(?:05|12|22)\w*|p28\d|q20\d|rtd\d{3}\w|amlogic|meson)\b`,
    String.raw`(?<![-\w])(?:X(?:88|9[26])(?!\d)|X98(?! (?:Air|Pro|Plus))(?!\d)|H96|T95(?!\d)|TX[2369](?!\d\d)|HK1|A95X|MXQ|M8S|MXIII|KM[2-9]|MAG\d{3}|AM6B|GTX-R|Z28|DVS X|TVB-\d|i96|MX10|V88|8K\d{4})\w*\b`,
    String.raw`GT-?King|NEO[- ][GUXZ]\d|BeyondTV|S_TURBO|N5NOVA|\b[MG]K[89][01]\d|\bCX-?9\d\d\b|google cube|\bLe(?:tv|TV ?)(?: [CU]\d| S\d\d | ?X(?:3-|60))`,
    String.raw`\b(?:TB-(?:G|PO)\d|K[DM]\d\b|XDS\d|S[BS]Q-A|GT-B9150|AND1E|(?:KANT|HEGE|PLAT|OSCA)-\d{3}|VMP\d{3}|AS_4K|ProVision|Polar_P|MITO_|LEAP-S|KJ-SMART|GI UNI|iconBIT (?:Stick|Movie))`,
    String.raw`\b(?:ADT-[123]|DV\d{4}|BDP-|TPM\d|Q[MV]\d{3}|PH\d[A-Z] |X-MEDIA|Smart_Starwind|HiSmart|VAP\d{3}|SMT-[CE]\d{4})`,
    // Operators' boxes, by their makers' names
    String.raw`\b(?:BID-|UIE\d{4}|NV\d{3}WB|B8\d\d[AHV]|EC61\d\d|HG680|HST \d{3}|S[HT]9\d\d[CI]-|BSTB-|HB-1000?\b|DTP\d{4}|fbx\d)`,
    String.raw`\bU\d{2}[A-Z]\d{4}|\b\d{2}L[A-Z]\d{3}`,
  ].join('|'),
  'i',
);
const televisionBuild =
  /TV\d*(?:[\W_]|$)|Build\/(?:[P-V]T(?:[A-Z]{1,2}\d|[;)])|QP1A\.191105\.004; wv|RD2A\.211001\.002)/;

/** Tablets by their model names, for those that request pages for phones. */
export const tablet = new RegExp(
  [
    String.raw`\biPad\b|\bTablets?\b(?! PC)|_Tablet_|[a-z]Tab\b|\bTAB\d|\bTab(?:[ _-]?\w*\d|[ _]\w|\b)`,
    String.raw`(?<!Think|Phone)Pad(?:\b|[ _-]?\w*\d|_)|[a-z]PAD\b|\b[A-Z]+PAD\b|_PAD_|\bPAD\b`,
    // Amazon, Google, Samsung, Sony, HTC, LG, Motorola, Barnes & Noble
    String.raw`\bKF[A-Z]{3,5}\b|Kindle|Nexus (?:7|8|9|10)\b|Pixel (?:C\b|Tablet)|SM-[TXP]\d{3}|GT-[PN](?:1|3|5|6|7|8)\d{3}`,
    String.raw`SCH-I[89]\d\d\b|SGH-T849|\bSGP\d{3}|\bSOT\d\d|HTC[ _]Flyer|\bLG-V\d{3}|\bLGT\d\d|\bXoom\b|NOOK|\bBNTV`,
    // Huawei and Honor
    String.raw`-(?:W|WA)(?:0\d|1\d|60)\b|\b(?:AGS|AGR|AGM|BAH|BTK|BTV|BZ[A-Z]|CPN|CMR|DBY|DBR|FDR|GOT|HDN|HEY|JDN|KOB|KJR|MRR|MRX|NDL|ROD|SCM|SHT|VRD|WGR)R?\d?-\w{3,6}|HUAWEI M[23]-|\bHWT\d\d`,
    // Lenovo
    String.raw`Lenovo[ _](?:TB|YT|YB|PB)|\bTB\d{3}\w*|\bTB-?[\dX]\w*|\bY[TB][1-9]?-\w|\bLenovo [ABS]\d{4}-[HFL]`,
    // Xiaomi, OPPO, OnePlus, realme, vivo
    String.raw`\b2\d{3,5}[A-Z]?RP\w*|\b2(?:1051182|2081283|105113\d)\w*|\bM2105K81|\bOPD2\d{3}|\bRMP\d{4}|\bi?PA2\d{3}\b`,
    // TCL and Alcatel: their phones have lower numbers
    String.raw`; (?:80[5-9]|8[14]\d|90[0-8]|9[1-4]\d)\d[A-Z]?(?:_\w+)?(?: Build|;|\))`,
    // Teclast, Chuwi, Alldocube, Doogee, Oukitel, Digma, Prestigio, Irbis, Acer, Asus, HP, Dell
    String.raw`\b[PMTX]\d{2}\w*\(\w{4}\)|\bT[2345]0 ?(?:PRO|Plus|HD|Air|S|Mini)|\bTLA\d{3}|\bCW-V|\biPlay|\bRT[1-9]\b`,
    String.raw`\bPM[TP]\d{4}|\bTZ\d{3}\b|\b[AB]\d-[A-Z]?\d{2}\w?\b|\b[KP]0[01]\w\b|\bSlate\b|\bVenue\b|Transformer|PlayBook`,
    // Japanese makers and others
    String.raw`\bd-\d\d[A-Z]\b|\bPC-T[ES]\d|\bKYT3\d|\bTMRV\w*TB\b|\bQMV\d|\bQTA\w|\bEX7X\d|\bTG ?\d{2}\b|\bL16 Max|\bM-M?P\d|\bETL-T`,
    // The app for tablets
    String.raw`\/apad\b`,
  ].join('|'),
);

/** More patterns for tablets, matched against the model alone, because the name of an app could match them too. */
const tabletModel = new RegExp(
  [
    String.raw`_Tab[_ ]?\w|\bN51[0-2]0\b|\bP02\d\b|\bME(?:1\d\d|30\d|37\d|400|5[78]\d)[A-Z]{0,2}\b|\bTF[1-7]0[01]|\b[CNPRST][ST](?:[789]|1[0-4])\d{2,3}[MPQ][GL]`,
    String.raw`TAB(?![a-z])|(?<!COOL|PHONE|THINK)PAD(?![A-Za-z])|(?<!ool)pad(?=[-_ ]?\d|;| Build|\))|\bMID(?:[\d_-]|M)`,
    // Archos, RCA, Philips, Medion, MPman, Point of View, AOC, LG
    String.raw`\bA(?:RCHOS|rchos) ?(?:[789]\d|1[0134]\d|T\d)|\bAN(?:[789]|1[03])[A-Z]{0,2}G?\d|\bRCT\d{4}|\bPI[2-57]\d{3}|\b[EPSX]10[3-6]\dX\b`,
    String.raw`\bMP[DQ]C\d|\bPOV[-_ ]|\bMW(?:0[789]|10)\d\d|\bVK[78]\d\d|\bLG-?[LU]K\d{3}|\bMZ60\d`,
    // Toshiba, Huawei, bq, TeXet, Hometech, Onda, Positivo, Oysters, Alcatel, Acer
    String.raw`\bAT(?:1S0|\d{3}[A-Za-z]{0,2}\b)|\b(?:GEM|PLE)-70\d|\bBQ-(?:1[01]|[789])\d\d|\bTM-(?:6906|[789]\d{3}|10\d\d)|\bALFA_\d|\bViva_?H\d|\bMegaFon V\d|\bTEO\d|\bMT-T\d`,
    String.raw`\bV\d{3}\w* Core\d|\bOysters T\d|\bONE ?TOUCH (?:EVO|T\d)|\bP3[356]0X|[Rr]amos ?[iWw]\d|\bY(?:PY|py) ?(?:AB|L\d|TQ|\d)`,
    String.raw`\b[MPT](?:[1-6][05]|8[05])(?:HD|SE|[hT]|Air)\b|; (?:7|8|9|10)[A-Z]{0,2}[-_ ](?:3G|4G|LTE)\b`,
  ].join('|'),
);

/** The text after the system's version in the same parentheses: the model with its build, and for some a language. */
function modelOf(userAgent: string): string {
  const start = userAgent.indexOf(';', userAgent.search(/Andr[o0]id/i));
  if (start < 0) return '';
  const end = userAgent.indexOf(')', start);
  return end < 0 ? userAgent.slice(start) : userAgent.slice(start, end + 1);
}

/** Most phones, for which nothing else needs checking. */
const telephone = /^; (?:SM-[AFGJMNS]\d|CPH\d|RMX\d|Pixel \d|Redmi [AN\d]|moto |VOG-|Mobile;)/;

/** Yandex's start page on televisions: its other apps name themselves. */
const yandexOfTelevision = /^Mozilla\/5\.0 \(Linux; arm; [^)]*; wv\).* Mobile Safari\/[\d.]+$/;

/** The kind of an Android device by its model: null if the model doesn't identify it. */
export function kindOfModel(userAgent: string): 'tablet' | 'tv' | null {
  if (yandexOfTelevision.test(userAgent)) return 'tv';
  const model = modelOf(userAgent);
  if (model.length < 5 || telephone.test(model)) return null;
  const words = model.toLowerCase().match(/[a-z]{3,}/g) ?? [];
  if (words.some((word) => televisionWords.has(word))) return 'tv';
  if (television.test(model) || televisionBuild.test(model)) return 'tv';
  if (words.some((word) => tabletWords.has(word)) || tabletModel.test(model)) return 'tablet';
  return null;
}
