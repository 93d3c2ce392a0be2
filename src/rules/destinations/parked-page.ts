/** Where companies that park domains host their pages, and sell names. */
const parkingHosts =
  /(?:^|\.)(?:sedoparking\.com|sedo\.com|parkingcrew\.net|bodis\.com|hugedomains\.com|afternic\.com|dan\.com|parklogic\.com|above\.com|domainmarket\.com|undeveloped\.com|uniregistry\.com|voodoo\.com|namedrive\.com|skenzo\.com|trafficz\.com)$/;

/** What a parked page loads or contains. Each of these concerns the whole domain, not goods on a page. */
const marks: readonly RegExp[] = [
  /\b(?:img|www)\.sedoparking\.com\b/i,
  /\b(?:d38psrni17bvxu|d1lxhc4jvstzrp)\.cloudfront\.net\b/i,
  /\.parkingcrew\.net\b/i,
  /\bparking\.bodiscdn\.com\b|\bbodis\.com\/(?:js|takeover)/i,
  /\bwindow\.park\s*=\s*["']/,
  /\bdata-adblockkey=/i,
  /\bparklogic\.com\/page\b/i,
  /\bhugedomains\.com\/domain_profile\b/i,
  /\bafternic\.com\/forsale\//i,
  /<title>[^<]{0,100}\b(?:domain|website) (?:name )?(?:is|may be) for sale\b/i,
  /\bthis domain (?:name )?(?:is|may be|has been) (?:parked|for sale)\b/i,
];

/** Whether a page is the placeholder of an unused domain. `shownBy`: the host that answered; `host`: the destination's. */
export const isParkedPage = (body: string, shownBy: string, host: string): boolean =>
  (shownBy !== host && parkingHosts.test(shownBy)) || marks.some((mark) => mark.test(body));
