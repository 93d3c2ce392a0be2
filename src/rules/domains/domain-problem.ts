import { hourLength } from '../durations.ts';
import type { DomainFindings, DomainTarget } from './domain-findings.ts';
import { addressesOf, type DnsRecord } from './domain-records.ts';
import { type DomainStatus, maxHoursWithoutProof } from './domain-status.ts';
import { isAmong } from './same-address.ts';

interface Situation extends DomainStatus {
  readonly host: string;
  readonly records: readonly DnsRecord[];
  readonly findings: DomainFindings;
  readonly target: DomainTarget;
  /** Another organization has verified this name. */
  readonly isTaken: boolean;
}

/** What keeps a domain from being used, in a sentence or two; null if nothing does. */
export function domainProblem(situation: Situation): string | null {
  const { isTaken, host, checkedAt, releasedAt } = situation;
  const isVerified = situation.verifiedAt !== null;
  if (isTaken) {
    return `Another organization has ${host} verified. It can be yours once their TXT record has been gone for ${maxHoursWithoutProof} hours.`;
  }
  if (checkedAt === null)
    return isVerified ? null : 'This domain was not looked up yet. That happens within seconds.';
  const released =
    !isVerified && releasedAt !== null
      ? `This domain was given up, because its TXT record had been gone for ${maxHoursWithoutProof} hours; its links wait until it is verified again. `
      : '';
  const sentence = proofSentence(situation) ?? (isVerified ? addressSentence(situation) : null);
  return sentence === null ? released.trim() || null : released + sentence;
}

function proofSentence({ records, goneSince, verifiedAt }: Situation): string | null {
  const proof = records.find((record) => record.purpose === 'proof');
  if (!proof || proof.state === 'ok') return null;
  if (proof.state === 'unknown') {
    const kept = verifiedAt !== null ? ' The domain stays as it is.' : '';
    return `The DNS did not answer for ${proof.name}; that says nothing about the record.${kept} Linnet tries again by itself.`;
  }
  const end =
    verifiedAt !== null && goneSince !== null
      ? ` Put it back before ${until(goneSince)}, or the domain is given up and its links stop.`
      : '';
  if (proof.state === 'wrong') {
    return `${proof.name} has a TXT record, but not this one: ${listed(proof.seen)} was seen.${end}`;
  }
  return end === ''
    ? `There is no TXT record at ${proof.name} yet. It may take up to an hour until name servers show a new one.`
    : `The TXT record at ${proof.name} is gone.${end}`;
}

function addressSentence({ host, records, findings, target }: Situation): string | null {
  const addressRecords = records.filter((record) => record.purpose === 'address');
  const [first] = addressRecords;
  if (!first) return null;
  const foundAddresses = addressesOf(findings);
  if (!addressRecords.some((record) => record.state === 'ok')) {
    if (addressRecords.some((record) => record.state === 'unknown')) {
      return `The DNS did not answer for ${host}. Linnet tries again by itself.`;
    }
    if (foundAddresses.length === 0 && first.seen.length === 0) {
      return `${host} leads nowhere yet. Add the ${first.type} record to ${first.value}.`;
    }
    return `${host} leads to ${listed(first.seen.length > 0 ? first.seen : foundAddresses)}, not to ${first.value}. Change that record, unless a proxy of yours there forwards visitors.`;
  }
  const wrongAddresses =
    target.addresses.length === 0
      ? []
      : foundAddresses.filter((address) => !isAmong(address, target.addresses));
  return wrongAddresses.length === 0
    ? null
    : `${host} leads here, but also to ${listed(wrongAddresses)}: some visitors will miss their links. Take that record away.`;
}

const until = (goneSince: number): string => {
  const iso = new Date(goneSince + maxHoursWithoutProof * hourLength).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
};

function listed(values: readonly string[]): string {
  const [first = '', second] = values.map(
    (value) => `"${value.length > 100 ? `${value.slice(0, 100)}…` : value}"`,
  );
  if (second === undefined) return first;
  return values.length === 2 ? `${first} and ${second}` : `${first}, ${second} and ${values.length - 2} more`;
}
