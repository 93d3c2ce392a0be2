import type { CheckContext } from './check-context.ts';

/** Where the public address comes from, for advice. */
export const addressSetting = ({ config, site }: Pick<CheckContext, 'config' | 'site'>): string =>
  config.baseUrl === null && !site.isTrial ? 'the stored address ("base-url set" changes it)' : 'BASE_URL';
