import { type LinkForVisitor, type LinkOptions, noOptions } from '../../src/rules/link-rules/resolve.ts';

/** A link as visits see it, with only these options. */
export const visitedLink = (
  destinationUrl: string,
  options: Partial<LinkOptions> | null = null,
): LinkForVisitor => ({
  id: 1,
  organizationId: 1,
  destinationUrl,
  options: options && { ...noOptions, ...options },
});
