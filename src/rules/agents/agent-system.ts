import { type AgentPattern, type NamedVersion, namesOf, softwareIn } from './agent-software.ts';

/** Android comes before iOS: there are tablets called MiPad and HiPad. */
const systems: readonly AgentPattern[] = [
  ['Windows Phone', /Windows Phone(?: OS)?(?: ([\d.]+))?|IEMobile|\bZuneWP7/i],
  ['KaiOS', /KAIOS(?:\/([\d.]+))?/i],
  ['webOS', /(?:web[o0]s|hpwos)(?:\/([\d.]+))?/i],
  ['Tizen', /Tizen(?:[ /]([\d.]+))?/i],
  ['HarmonyOS', /(?:Open)?Harmony(?:OS)?(?: ([\d.]+))?|ArkWeb/i],
  ['Roku', /\bRoku(?:\w*\/DVP-([\d.]+))?/i],
  ['Sailfish', /Sailfish/i],
  ['Windows', /Windows (?:NT|IoT) ([\d.]+)(?!.*Android)/i],
  ['Android', /Andr[o0]id[ /-]?([\d.]+)?|GoogleTV|tclwebkit|\bAdr\b(?: ([\d.]+))?|^\[FB\w+\/(?:FB4A|Orca)/i],
  ['BlackBerry', /\bBB10\b.*Version\/([\d.]+)|BlackBerry\w*\/?([\d.]+)?|RIM Tablet/i],
  ['Chrome OS', /\bCrOS\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)(?:.*? OS (\d[\d_]*))?/i],
  ['tvOS', /Apple ?TV/i],
  ['PlayStation', /PlayStation(?: \w+)?(?:[ /]([\d.]+))?/i],
  ['Nintendo', /Nintendo/i],
  ['Symbian', /Symb(?:ian|OS)|Series ?60|S60V/i],
  ['Bada', /\bBada(?:\/([\d.]+))?/i],
  ['macOS', /(?:Macintosh|Mac OS X|Mac_PowerPC)(?:.*?(?:OS X|X11;) (\d+(?:[._]\d+)*))?/i],
  ['Windows', /\bWindows (9[58x]|CE|XP|2000|ME)?|\bWin9/i],
  ['FreeBSD', /FreeBSD/i],
  ['OpenBSD', /OpenBSD/i],
  ['NetBSD', /NetBSD/i],
  ['AmigaOS', /Amiga(?:OS)?(?: ([\d.]+))?/i],
  ['Linux', /Linux|X11|Ubuntu/i],
];

/** All possible names. */
export const systemNames = namesOf(systems);

/** Product versions of Windows by kernel version. */
const windowsVersions: Readonly<Record<string, string>> = {
  '5.0': '2000',
  '5.1': 'XP',
  '5.2': '2003',
  '6.0': 'Vista',
  '6.1': '7',
  '6.2': '8',
  '6.3': '8.1',
  '6.4': '10',
  '10.0': '10',
};

/** An iPad that asks for desktop pages calls itself a Macintosh. Apps and other browsers on it can be recognised. */
export const isDesktopModePad = (userAgent: string): boolean =>
  /Macintosh/.test(userAgent) && /\bMobile\/|CriOS|FxiOS|EdgiOS|OPiOS|\bOPT\/|GSA\//.test(userAgent);

export function systemOf(userAgent: string): NamedVersion {
  if (isDesktopModePad(userAgent)) return { name: 'iOS', version: '' };
  const { name, version: written } = softwareIn(userAgent, systems);
  const version = plainVersion(written.replaceAll('_', '.'));
  return { name, version: name === 'Windows' ? (windowsVersions[version] ?? '') : version };
}

const plainVersion = (version: string): string =>
  /^[\w.]{1,20}$/.test(version) ? version.replace(/\.+$/, '') : '';
