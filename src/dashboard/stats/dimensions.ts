interface DimensionText {
  readonly one: string;
  readonly many: string;
  /** The name of the hits without a value. */
  readonly none: string;
  /** Shown instead of a list in which no hit has a value. */
  readonly empty?: string;
  /** Below the list. */
  readonly note?: string;
}

const utm = (what: string): DimensionText => ({
  one: `UTM ${what}`,
  many: `UTM ${what}s`,
  none: `No ${what} tagged`,
  empty: `No click carried utm_${what}. Tag the address that you share to see it here.`,
});

/** The dimensions that a board can be filtered by, in the order of the filters. Their names are the API's, and also those in the address. */
const texts = {
  country: { one: 'Country', many: 'Countries', none: 'Unknown country' },
  region: {
    one: 'Region',
    many: 'Regions',
    none: 'Unknown region',
    empty: 'No click has a known region.',
  },
  city: { one: 'City', many: 'Cities', none: 'Unknown city', empty: 'No click has a known city.' },
  address: {
    one: 'Address',
    many: 'Addresses',
    none: 'Own address',
    note: 'Its own address is the one that the link had when it was visited. Clicks from before a change are included.',
  },
  device: { one: 'Device', many: 'Devices', none: 'Unknown device' },
  os: { one: 'System', many: 'Systems', none: 'Unknown system' },
  browser: { one: 'Browser', many: 'Browsers', none: 'Unknown browser' },
  language: { one: 'Language', many: 'Languages', none: 'No language' },
  referrer: {
    one: 'Referrer',
    many: 'Referrers',
    none: 'No referrer',
    empty: 'No click has a referrer.',
  },
  utm_source: utm('source'),
  utm_medium: utm('medium'),
  utm_campaign: utm('campaign'),
  utm_term: utm('term'),
  utm_content: utm('content'),
  destination: { one: 'Destination', many: 'Destinations', none: 'None' },
  rule: { one: 'Rule', many: 'Rules', none: 'No rule', empty: 'No click was redirected by a rule.' },
  variant: {
    one: 'Variant',
    many: 'Variants',
    none: 'No variant',
    empty: 'No click was redirected to a variant.',
  },
  source: { one: 'Source', many: 'Link or QR code', none: 'Unknown' },
  class: { one: 'Kind', many: 'Kinds', none: 'Unknown' },
  reason: { one: 'Reason', many: 'Reasons', none: 'Unknown' },
} satisfies Record<string, DimensionText>;

export type Dimension = keyof typeof texts;
export const dimensionTexts: Readonly<Record<Dimension, DimensionText>> = texts;
export const dimensions = Object.keys(texts) as readonly Dimension[];
