/** Why a name has no certificate, or no newer one: what is wrong, and what to do about it. */
const sentences = {
  caa: (host) =>
    `The DNS forbids it: a CAA record of ${host}, or of a domain above it, names other authorities. Add one that names this authority, or take it out.`,
  dns: (host) =>
    `The authority finds no address of ${host} in the DNS. Set the address record that its page under Domains shows; where there is DNSSEC, check that it is right.`,
  connection: (host) =>
    `The authority can reach nothing at ${host}. Let its A and AAAA records lead to this service alone, and open ports 443 and 80 in every firewall on the way.`,
  other_answer: (host) =>
    `Another server answers at ${host}. Let all of its A and AAAA records lead here, and remove proxies (such as a CDN) that end TLS themselves.`,
  rate_limit: () =>
    'The authority issues no more certificates for this domain for now. Linnet tries again when its limit allows. If you need one sooner, use another authority (ACME_URL).',
  rejected_name: (host) =>
    `The authority issues no certificates for ${host}. Use another name, or another authority (ACME_URL).`,
  account: () =>
    'The authority refuses the account. Check ACME_EMAIL, and ACME_EAB_KID and ACME_EAB_KEY if it gave you those.',
  authority_away: () =>
    'The authority does not answer. Linnet tries again soon; check that this machine can reach it (ACME_URL).',
  too_often: () =>
    'There were as many orders for this name in a week as authorities allow. There is nothing to do: Linnet orders it again when the oldest is a week old.',
  refused: () =>
    'The authority refused the order. Its answer, shown here as well, says what to do. Linnet tries again later.',
  unusable: () =>
    'The authority issued a certificate that cannot be used. Linnet tries again later; if that happens again, use another authority (ACME_URL).',
} as const satisfies Readonly<Record<string, (host: string) => string>>;

export type CertificateProblem = keyof typeof sentences;

export const certificateSentence = (problem: CertificateProblem, host: string): string =>
  sentences[problem](host);

export const isCertificateProblem = (text: string): text is CertificateProblem =>
  Object.hasOwn(sentences, text);

export const certificateProblems: readonly CertificateProblem[] =
  Object.keys(sentences).filter(isCertificateProblem);
