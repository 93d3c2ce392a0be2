/** The own host is the default domain's, also if it was a custom domain before the public address was changed to it. */
export const hiddenDomainFound = (host: string): string =>
  `${host} is the host of the public address and also a custom domain: visitors don't reach the links of that domain.`;

export const hiddenDomainTodo =
  'Set the public address (BASE_URL) to another host. To use this one, first move the links of that domain to the default domain, and delete it.';
