import type { LinkForVisitor, LinkOptions } from '../../src/rules/resolve.ts';

/** A link as visits get it, with these options and no others. */
export const visitedLink = (
  destinationUrl: string,
  options: Partial<LinkOptions> | null = null,
): LinkForVisitor => ({
  id: 1,
  organizationId: 1,
  destinationUrl,
  options: options && {
    androidUrl: null,
    iosUrl: null,
    ogTitle: null,
    ogDescription: null,
    ogImage: null,
    expiresAt: null,
    passwordHash: null,
    captcha: false,
    botProtection: false,
    hasUnsafeUrl: false,
    ...options,
  },
});
