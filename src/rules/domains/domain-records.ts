import type { Answer, DomainFindings, DomainTarget } from './domain-findings.ts';
import { isApex, proofLabel } from './domain-name.ts';
import { isAmong } from './same-address.ts';

export interface DnsRecord {
  readonly purpose: 'proof' | 'address';
  readonly type: 'TXT' | 'CNAME' | 'A' | 'AAAA';
  readonly name: string;
  readonly value: string;
  readonly is_required: boolean;
  readonly state: 'ok' | 'missing' | 'wrong' | 'unknown';
  readonly seen: readonly string[];
}

/** The DNS records that a domain should have, and their current state. */
export function recordsOf(
  host: string,
  proof: string,
  target: DomainTarget,
  findings: DomainFindings,
): readonly DnsRecord[] {
  const required = { purpose: 'proof', type: 'TXT', name: `${proofLabel}.${host}`, value: proof } as const;
  return [
    recordOf(required, findings.proof, hasProof(findings.proof, proof)),
    ...addressRecords(host, target, findings),
  ];
}

/** Some forms keep the quotation marks of a pasted value. */
export const hasProof = (answer: Answer, proof: string): boolean =>
  answer.kind === 'found' && answer.values.some((value) => value.trim().replace(/^"(.*)"$/, '$1') === proof);

const recordOf = (
  record: Pick<DnsRecord, 'purpose' | 'type' | 'name' | 'value'>,
  answer: Answer,
  isPresent: boolean,
): DnsRecord => ({
  ...record,
  is_required: record.purpose === 'proof',
  state: stateOf(answer, isPresent),
  seen: valuesOf(answer),
});

const stateOf = (answer: Answer, isPresent: boolean): DnsRecord['state'] =>
  isPresent ? 'ok' : answer.kind === 'found' ? 'wrong' : answer.kind === 'none' ? 'missing' : 'unknown';

const valuesOf = (answer: Answer): readonly string[] => (answer.kind === 'found' ? answer.values : []);

function addressRecords(host: string, target: DomainTarget, findings: DomainFindings): readonly DnsRecord[] {
  const direct = target.addresses.map((address) => addressRecord(host, address, findings));
  if (target.host === null) return direct;
  // Some name servers let an apex point to a host by a record type of their own: the best option while the host's addresses are unknown.
  return isApex(host) && direct.length > 0 ? direct : [aliasRecord(host, target.host, target, findings)];
}

function addressRecord(host: string, address: string, { a, aaaa }: DomainFindings): DnsRecord {
  const [type, answer] = address.includes(':') ? (['AAAA', aaaa] as const) : (['A', a] as const);
  const isPresent = isAmong(address, valuesOf(answer));
  return recordOf({ purpose: 'address', type, name: host, value: address }, answer, isPresent);
}

/** A CNAME, or any records that result in the same addresses. */
function aliasRecord(host: string, value: string, target: DomainTarget, findings: DomainFindings): DnsRecord {
  const { cname } = findings;
  const followed = addressesOf(findings);
  const isAlias = valuesOf(cname).some((name) => name.toLowerCase().replace(/\.$/, '') === value);
  const resolvesToTarget = followed.some((address) => isAmong(address, target.addresses));
  const seen = cname.kind === 'found' ? cname.values : followed;
  const answer = seen.length > 0 ? ({ kind: 'found', values: seen } as const) : addressAnswer(findings);
  return recordOf(
    { purpose: 'address', type: 'CNAME', name: host, value },
    answer,
    isAlias || resolvesToTarget,
  );
}

export const addressesOf = ({ a, aaaa }: DomainFindings): readonly string[] => [
  ...valuesOf(a),
  ...valuesOf(aaaa),
];

/** "None" only if every query was answered with that. */
const addressAnswer = ({ cname, a, aaaa }: DomainFindings): Answer =>
  [cname, a, aaaa].find((answer) => answer.kind === 'unknown') ?? { kind: 'none' };
