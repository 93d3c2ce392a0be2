import type { Migration } from '../migration.ts';

export const certificates: Migration = ({ integer, tableEnd }) => [
  // One row per name. `next_at` is when it is due: a first order, a retry, a renewal.
  `create table certificates (
    host text primary key,
    chain text,
    sealed_key text,
    not_after ${integer},
    renew_at ${integer},
    next_at ${integer} not null,
    claimed_until ${integer},
    failures ${integer} not null default 0,
    problem text,
    problem_detail text,
    orders text not null default ''
  ) ${tableEnd}`,
  'create index certificates_next on certificates (next_at)',
  // Challenges of an authority, which checks that a name leads here. Any node may be asked.
  `create table certificate_proofs (
    token text primary key,
    host text not null,
    answer text not null,
    certificate text,
    private_key text,
    expires_at ${integer} not null
  ) ${tableEnd}`,
  'create index certificate_proofs_host on certificate_proofs (host)',
];
