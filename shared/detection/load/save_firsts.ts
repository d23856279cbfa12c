import { packedRows, type Statement } from '#shared/platform/bulk.ts';
import { sql } from '#shared/platform/db.ts';
import type { Firsts, NewCountry, NewIdentity, NewPair } from '#shared/detection/model/payees.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** The statements that store the first occurrences in a range: payees of agents, their countries, identities of payees, and what they were paid. */
export const firstsStatements = (
  tenant: Tenant,
  { new_pairs, new_countries, new_identities, new_payers }: Firsts,
): (() => Statement | null)[] => [
  () => pairsStatement(tenant, new_pairs),
  () => countriesStatement(tenant, new_countries),
  () => identitiesStatement(tenant, new_identities),
  () => payersStatement(tenant, new_payers),
];

/** A payment reported later but made before the recorded first one is the first now. */
function pairsStatement({ org_id, environment }: Tenant, pairs: readonly NewPair[]): Statement | null {
  if (pairs.length === 0) return null;
  const earliest = new Map<string, NewPair>();
  for (const pair of pairs) {
    const key = `${pair.agent_id} ${pair.payee_id}`;
    const first = earliest.get(key);
    // The position is that of the first to arrive.
    earliest.set(key, first ? { ...first, first_seen_at: Math.min(first.first_seen_at, pair.first_seen_at) } : pair);
  }
  const rows = [...earliest.values()].map(pair => [
    pair.agent_id,
    pair.payee_id,
    timestamp(pair.first_seen_at),
    pair.first_seq,
  ]);
  return sql.unsafe`
    insert into agent_payees as p (org_id, environment, agent_id, payee_id, first_seen_at, first_seq)
    select ${org_id}, ${environment}, r.* from ${packedRows(rows, ['text', 'text', 'timestamptz', 'int8'])} as r
    on conflict (org_id, environment, agent_id, payee_id) do update set first_seen_at = least(p.first_seen_at, excluded.first_seen_at)`;
}

function countriesStatement({ org_id, environment }: Tenant, countries: readonly NewCountry[]): Statement | null {
  if (countries.length === 0) return null;
  const rows = countries.map(row => [row.agent_id, row.country, timestamp(row.first_seen_at), row.first_seq]);
  return sql.unsafe`
    insert into agent_countries (org_id, environment, agent_id, country, first_seen_at, first_seq)
    select ${org_id}, ${environment}, r.* from ${packedRows(rows, ['text', 'text', 'timestamptz', 'int8'])} as r
    on conflict do nothing`;
}

function identitiesStatement({ org_id, environment }: Tenant, identities: readonly NewIdentity[]): Statement | null {
  if (identities.length === 0) return null;
  const rows = identities.map(row => [row.identity, row.payee_id, timestamp(row.first_seen_at), row.first_seq]);
  return sql.unsafe`
    insert into payee_identities (org_id, environment, identity, payee_id, first_seen_at, first_seq)
    select ${org_id}, ${environment}, r.* from ${packedRows(rows, ['text', 'text', 'timestamptz', 'int8'])} as r
    on conflict do nothing`;
}

function payersStatement({ org_id, environment }: Tenant, payers: Firsts['new_payers']): Statement | null {
  if (payers.size === 0) return null;
  const rows = [...payers].map(([payee_id, paid]) => [
    payee_id,
    JSON.stringify(paid.payers),
    JSON.stringify(paid.currencies),
  ]);
  return sql.unsafe`
    insert into payee_payers (org_id, environment, payee_id, payers, currencies)
    select ${org_id}, ${environment}, r.* from ${packedRows(rows, ['text', 'jsonb', 'jsonb'])} as r
    on conflict (org_id, environment, payee_id) do update set payers = excluded.payers, currencies = excluded.currencies`;
}
