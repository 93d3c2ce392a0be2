import type { RawHit } from '../../src/journal/hit.ts';
import { headerEvidenceKinds } from '../../src/rules/agents/header-evidence.ts';
import { outcomes, targets } from '../../src/rules/click-fields.ts';

/** A hit in the text format of the journal, which must stay readable. */
export const hitText = (hit: RawHit): string =>
  [
    hit.at,
    hit.linkId,
    hit.organizationId,
    `${outcomes.indexOf(hit.outcome)}${targets.indexOf(hit.target ?? 'none')}${hit.doNotTrack ? 'n' : ''}`,
    hit.method,
    hit.address,
    hit.userAgent.slice(0, 512),
    hit.acceptLanguage.slice(0, 256) + hintsText(hit),
    hit.referer.slice(0, 2_048),
    hit.query.slice(0, 4_096),
    evidenceText(hit) + hit.purpose.slice(0, 64),
    hit.countryHint + (hit.alias && `@${hit.alias}`) + (hit.matchedRule && ` ${hit.matchedRule}`),
    '',
  ].join('\n');

const hintsText = ({ clientHints }: RawHit): string =>
  clientHints === 0
    ? ''
    : ` ~${String.fromCharCode(...[18, 12, 6, 0].map((shift) => 48 + ((clientHints >> shift) & 63)))}`;

const evidenceText = ({ headerEvidence }: RawHit): string =>
  headerEvidence === 'none' ? '' : ` ${headerEvidenceKinds.indexOf(headerEvidence)}`;
