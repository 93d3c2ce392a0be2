import { type LinkForVisitor, type LinkOptions, noOptions } from '../../src/rules/resolve.ts';

/** A link as visits get it, with these options and no others. */
export const visitedLink = (
  destinationUrl: string,
  options: Partial<LinkOptions> | null = null,
): LinkForVisitor => ({
  id: 1,
  organizationId: 1,
  destinationUrl,
  options: options && { ...noOptions, ...options },
});
