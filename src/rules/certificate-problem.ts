/** Why a name has no certificate, or no newer one. */
export const certificateProblems = [
  'caa',
  'dns',
  'connection',
  'other_answer',
  'rate_limit',
  'rejected_name',
  'account',
  'authority_away',
  'too_often',
  'refused',
  'unusable',
] as const;
export type CertificateProblem = (typeof certificateProblems)[number];

const sentences: Readonly<Record<CertificateProblem, (host: string) => string>> = {
  caa: (host) =>
    `The DNS forbids it: a CAA record of ${host}, or of a domain above it, names other authorities. Add one that names this authority, or take it out.`,
  dns: (host) =>
    `The authority finds no address of ${host} in the DNS. Set the address record that its page under Domains shows; where there is DNSSEC, check that it is right.`,
  connection: (host) =>
    `The authority reaches nothing at ${host}. Let its A and AAAA records lead to this service alone, and open ports 443 and 80 in every firewall on the way.`,
  other_answer: (host) =>
    `Another server answers at ${host}. Let all of its A and AAAA records lead here, and take away proxies (such as a CDN) that end TLS themselves.`,
  rate_limit: () =>
    'The authority gives no more certificates for this domain for now. Nothing is to be done, unless it has to be soon: then use another authority (ACME_URL). It is asked again when its limit allows.',
  rejected_name: (host) =>
    `The authority gives no certificates for ${host}. Use another name, or another authority (ACME_URL).`,
  account: () =>
    'The authority refuses the account. Check ACME_EMAIL, and ACME_EAB_KID and ACME_EAB_KEY where it gives those.',
  authority_away: () =>
    'The authority does not answer. It is asked again soon; check that this machine reaches it (ACME_URL).',
  too_often: () =>
    'There were as many orders for this name in a week as authorities allow. Nothing is to be done: it is ordered again when the oldest is a week old.',
  refused: () =>
    'The authority refused the order: what it said stands beside this, and says what to do. It is asked again later.',
  unusable: () =>
    'The authority gave a certificate that can not be used. It is asked again later; if that goes on, use another authority (ACME_URL).',
};

/** What is wrong, and what to do about it. */
export const certificateSentence = (problem: CertificateProblem, host: string): string =>
  sentences[problem](host);

export const isCertificateProblem = (text: string): text is CertificateProblem =>
  (certificateProblems as readonly string[]).includes(text);
