import { browserNames } from '../../../../rules/agents/agent-browser.ts';
import { systemNames } from '../../../../rules/agents/agent-system.ts';
import { appNames } from '../../../../rules/agents/app-browsers.ts';
import { devices, sources } from '../../../../rules/click-fields.ts';
import { nameOf } from '../../../stats/value-names.ts';

export interface ValueChoice {
  readonly value: string;
  readonly label: string;
  /** Shown beside the name, not read out. */
  readonly flag?: string;
}

/** The flag of a country as its two regional letters; systems without flags show the letters. */
const flagOf = (code: string): string =>
  code === 'XX'
    ? ''
    : String.fromCodePoint(...[...code].map((letter) => 0x1_f1e6 + letter.charCodeAt(0) - 'A'.charCodeAt(0)));

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Names that are no countries of visitors, and former codes whose names belong to current ones. */
const notCountries =
  'AC CP CQ DG EA EU EZ IC QO TA UN XA XB XX ZZ AN BU CS DD DY FX HV NH RH SU TP UK VD YD YU ZR'.split(' ');

const byLabel = (one: ValueChoice, other: ValueChoice): number => one.label.localeCompare(other.label, 'en');

const countryChoice = (code: string): ValueChoice => ({
  value: code,
  label: nameOf('country', code),
  flag: flagOf(code),
});

function countries(): readonly ValueChoice[] {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const all = codes
    .filter((code) => !notCountries.includes(code) && names.of(code) !== undefined)
    .map(countryChoice);
  return [countryChoice('EU'), ...all.sort(byLabel), countryChoice('XX')];
}

/** Browsers don't list the languages that they can name: these are the most widely read ones. Others can be typed. */
const languageTags = (
  'af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko ku ky ' +
  'lb lo lt lv mk ml mn mr ms mt my nb ne nl nn pa pl ps pt ro ru sk sl so sq sr sv sw ta te th tr uk ur uz vi zh zu ' +
  'de-AT de-CH en-AU en-CA en-GB en-US es-419 es-ES es-MX fr-BE fr-CA fr-CH pt-BR pt-PT zh-CN zh-HK zh-TW'
).split(' ');

const namedChoice =
  (dimension: 'device' | 'source' | 'language' | 'os' | 'browser') =>
  (value: string): ValueChoice => ({ value, label: nameOf(dimension, value) });

const languages = () => languageTags.map(namedChoice('language')).sort(byLabel);

/** Puts the values of most visitors first. */
const withFirst = (first: readonly string[], all: readonly string[]): readonly string[] => [
  ...first,
  ...all.filter((name) => !first.includes(name)).sort((one, other) => one.localeCompare(other, 'en')),
];

const commonSystems = ['Android', 'iOS', 'Windows', 'macOS', 'Linux'];
const commonBrowsers = ['Chrome', 'Safari', 'Firefox', 'Microsoft Edge', 'Opera', 'Instagram', 'Facebook'];

const choices = {
  country: countries,
  language: languages,
  device: () => devices.map(namedChoice('device')),
  os: () => withFirst(commonSystems, systemNames).map(namedChoice('os')),
  browser: () => withFirst(commonBrowsers, [...browserNames, ...appNames]).map(namedChoice('browser')),
  source: () => sources.map(namedChoice('source')),
};

type ChosenKey = keyof typeof choices;
export const isChosenKey = (key: string): key is ChosenKey => Object.hasOwn(choices, key);

const cachedChoices = new Map<ChosenKey, readonly ValueChoice[]>();

/** The choices for a condition. */
export function choicesOf(key: ChosenKey): readonly ValueChoice[] {
  const cached = cachedChoices.get(key);
  if (cached) return cached;
  const list = choices[key]();
  cachedChoices.set(key, list);
  return list;
}
