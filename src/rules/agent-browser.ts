import { unknownName } from './agent-system.ts';

interface AgentBrowser {
  readonly name: string;
  /** The major version, or ''. */
  readonly version: string;
}

/**
 * Browsers by what they add to the user agent of their engine, so that the engine's own browsers come last. The version is the
 * pattern's first group.
 */
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Yandex Browser', /YaBrowser(?:Lite)?\/(\d+)|YaSearchBrowser\/(\d+)|YaApp_\w+\/(\d+)|\bYowser\/(\d+)/],
  ['Mi Browser', /MiuiBrowser\/(\d+)|\bMintBrowser\/(\d+)/],
  ['Huawei Browser', /HuaweiBrowser\/(\d+)|ArkWeb\/(\d+)(?!.*HuaweiBrowser)/],
  ['Samsung Internet for Android', /SamsungBrowser\/(\d+)/],
  ['Opera Mini', /Opera Mini\/(\d+)|OPiOS\/(\d+)/],
  ['UC Browser', /U(?:C ?)?Browser\/?(\d+)?|\bUCPro\/(\d+)|UCWEB\/?(\d+)?(?!.*UC ?Browser)/],
  ['Quark', /\bQuark\/(\d+)/],
  ['QQ Browser', /QQBrowser(?:Lite)?\/(\d+)/],
  ['Opera', /\bOP[RTX]\/(\d+)|Opera.+Version\/(\d+)|Opera[/ ](\d+)/],
  ['Microsoft Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Vivaldi', /Vivaldi\/(\d+)/],
  ['NAVER Whale Browser', /\bWhale\/(\d+)/],
  ['HeyTap Browser', /HeyTapBrowser\/(\d+)/],
  ['BrowseHere', /tclwebkit(\d+)/],
  ['Vivo Browser', /VivoBrowser\/(\d+)/],
  ['MZ Browser', /MZBrowser\/(\d+)/],
  ['Swing', /\bSwing\/(\d+)/],
  ['Ladybird', /Ladybird\/(\d+)/],
  ['Phoenix Browser', /\bPHX\/(\d+)/],
  ['Brave', /\bBrave(?: Chrome)?(?:\/(\d+))?(?![\w-])/i],
  ['DuckDuckGo', /\b(?:DuckDuckGo|Ddg)\/(\d+)/],
  ['Ecosia', /Ecosia \w+@(\d+)/],
  ['Coc Coc', /coc_coc_browser\/(\d+)/],
  ['Aloha Browser', /Aloha(?:Browser|Lite)\/(\d+)/],
  ['Avast Secure Browser', /\b(?:Avast|ASW)\/(\d+)/],
  ['CCleaner Browser', /CCleaner\/(\d+)/],
  ['AOL', /AOLBUILD\/(\d+)/],
  ['Steam', /Valve Steam/],
  ['Dolphin', /\bDolphin\/(\d+)/],
  ['Jio Browser', /Jio(?:Pages|Sphere|Browser)\/(\d+)/],
  ['Mypal', /Mypal\/(\d+)/],
  ['Basilisk', /Basilisk\/(\d+)/],
  ['Liebao', /LBBROWSER|LieBaoFast/],
  ['2345 Browser', /2345(?:Explorer|chrome)\/v?(\d+)/],
  ['Origyn', /Origyn|\bOWB\/(\d+)/],
  ['AVG Secure Browser', /\bAVG\/(\d+)/],
  ['Norton Private Browser', /\bNorton\/(\d+)/],
  ['Oculus Browser', /OculusBrowser\/(\d+)/],
  ['Puffin', /Puffin\/(\d+)/],
  ['TV Bro', /TV Bro\/(\d+)/],
  ['Amazon Silk', /\bSilk\/(\d+)/],
  ['Focus', /\b(?:Focus|Klar)\/(\d+)/],
  ['Firefox Lite', /\bRocket\/(\d+)/],
  ['Sogou Browser', /SogouMobileBrowser\/(\d+)|MetaSr/],
  ['360 Browser', /QIHU|360SE|QHBrowser|THEWORLD|TheWorld/],
  ['Maxthon', /\bMaxthon[/ ]?(\d+)?|MXiOS\/(\d+)/],
  ['Yaani', /YaaniBrowser\/(\d+)/],
  ['Seznam', /SznProhlizec\/(\d+)/],
  ['Iron', /\bIron(?:\/(\d+)|\b)(?!_)/],
  ['Comodo', /Comodo_Dragon\/(\d+)|IceDragon\/(\d+)/],
  ['Pale Moon', /PaleMoon\/(\d+)/],
  ['SeaMonkey', /SeaMonkey\/(\d+)/],
  ['Waterfox', /Waterfox\/(\d+)/],
  ['LibreWolf', /LibreWolf\/(\d+)/],
  ['Camino', /Camino\/(\d+)/],
  ['Lunascape', /i?Lunascape[/ ](\d+)/],
  ['K-Meleon', /K-Meleon\/(\d+)/i],
  ['Sleipnir', /Sleipnir\/(\d+)/],
  ['Konqueror', /konqueror\/(\d+)/i],
  ['Epiphany', /Epiphany\/(\d+)/],
  ['Midori', /Midori\/(\d+)/],
  ['QupZilla', /QupZilla\/(\d+)/],
  ['Falkon', /Falkon\/(\d+)/],
  ['Dooble', /Dooble\/(\d+)/],
  ['Thunderbird', /Thunderbird\/(\d+)/],
  ['Kazehakase', /Kazehakase\/(\d+)/],
  ['Conkeror', /conkeror\/(\d+)/],
  ['IBrowse', /IBrowse[/ ](\d+)/],
  ['Lynx', /\bLynx\/(\d+)/],
  ['Links', /^E?Links\b/i],
  ['Tesla', /\bTesla\/|QtCarBrowser/],
  ['QtWebEngine', /QtWebEngine\/(\d+)/],
  ['Electron', /Electron\/(\d+)/],
  ['BlackBerry', /BlackBerry|\bBB10\b|RIM Tablet/],
  ['Nokia Browser', /NokiaBrowser\/(\d+)|OviBrowser\/(\d+)/],
  ['Nintendo Browser', /NintendoBrowser\/(\d+)|\bNintendo\b/],
  ['PlayStation', /PlayStation (?:4|Vita)/],
  ['Kindle', /\bKindle\/(\d+)/],
  ['WebOS Browser', /hpwOS|webOS\/|LG Browser\/(\d+)/],
  ['Bada', /\bDolfin\/(\d+)/],
  ['Internet Explorer', /IEMobile[/ ](\d+)|MSIE (\d+)|Trident\/.*rv:(\d+)|Trident\//],
  [
    'Firefox',
    /(?:Firefox|FxiOS|Iceweasel|IceCat|Minefield|GranParadiso|Shiretoko|Fennec|Firebird|Phoenix)\/(\d+)/,
  ],
  ['Google Search', /\bGSA\/(\d+)/],
  ['Chromium', /Chromium\/(\d+)/],
  ['Chrome', /(?:Chrome|CriOS|CrMo)\/(\d+)/],
  ['Sailfish', /SailfishBrowser\/(\d+)/],
  ['Tizen', /Tizen/],
  ['Android Browser', /Android.*AppleWebKit.*Version\/[\d.]+.*Safari|Android.*AppleWebKit(?!.*Chrome)/],
  ['Safari', /(?:Safari|AppleWebKit)\/(?:.*?Version\/(\d+))?/],
];

/** All possible names. */
export const browserNames: readonly string[] = [...new Set(browsers.map(([name]) => name)), unknownName];

export function browserOf(userAgent: string): AgentBrowser {
  for (const [name, pattern] of browsers) {
    const found = pattern.exec(userAgent);
    if (found === null) continue;
    return { name, version: found.slice(1).find((version) => version !== undefined) ?? '' };
  }
  return { name: unknownName, version: '' };
}
