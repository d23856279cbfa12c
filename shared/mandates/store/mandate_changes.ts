import { z } from 'zod';
import { requestRecheck } from '#shared/events/ranges/rechecks.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { invalidDetail, invalidTransition, unprocessable, orNotFound } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import { registerAgents } from '#shared/events/parties/agents.ts';
import type { MandateChange, NewMandate } from './mandate_input.ts';
import { findMandate, type Mandate } from './mandates.ts';
import { registerOwners } from '#shared/events/parties/owners.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** The parts of a mandate that a version keeps. */
type Terms = Pick<Mandate, 'name' | 'valid_from' | 'valid_until' | 'human_presence' | 'external_ref' | 'constraints'>;

/**
 * Creates a mandate, and registers its agent and its owner if they are new, since mandates precede events. With a valid_from in the past,
 * the agent's payments since then are evaluated too. Throws `unprocessable` when the agent is unknown and no owner is named,
 * `invalid_request` when it would end before it begins. The caller moves the counters of mandates, agents and owners, all at once, so that
 * two of these do not deadlock.
 */
export async function createMandate(
  tx: Db,
  tenant: Tenant,
  input: NewMandate,
  created_by: string | null,
  now: number,
): Promise<Mandate> {
  const { org_id, environment } = tenant;
  needOrder(input);
  const owner_id = await registerParties(tx, tenant, input, now);
  const id = newId('mnd', now);
  await tx.query(sql.unsafe`
    insert into mandates (org_id, environment, id, agent_id, owner_id, name, state, version, valid_from, valid_until, human_presence,
      constraints, external_ref, source, created_at, created_by)
    values (${org_id}, ${environment}, ${id}, ${input.agent_id}, ${owner_id}, ${input.name}, 'active', 1, ${input.valid_from},
      ${input.valid_until}, ${input.human_presence}, ${JSON.stringify(input.constraints)}::jsonb, ${input.external_ref}, 'native',
      ${timestamp(now)}, ${created_by})`);
  await keepVersion(tx, tenant, id, created_by, now);
  if (input.valid_from !== null && Date.parse(input.valid_from) < now)
    await requestRecheck(tx, tenant, { kind: 'mandate', mandate_id: id, from_at: input.valid_from }, now);
  return needMandate(tx, tenant, id, now);
}

/**
 * Changes the members in `change`, as a new version; without a change there is no new version. Throws `not_found`, `invalid_request` when
 * it would end before it begins, and `invalid_transition` for a revoked mandate and for activating an expired one.
 */
export async function changeMandate(
  tx: Db,
  tenant: Tenant,
  id: string,
  { state, ...change }: z.output<typeof MandateChange>,
  changed_by: string | null,
  now: number,
): Promise<{ before: Mandate; after: Mandate }> {
  const { org_id, environment } = tenant;
  // A used-up mandate may be set active; its next payment shows whether it still is used up.
  const stored = orNotFound(
    'mandate',
    await tx.maybeOneFirst(sql.type(z.object({ state: z.string() }))`
    select case state when 'exhausted' then 'active' else state end as state from mandates
    where org_id = ${org_id} and environment = ${environment} and id = ${id} for update`),
  );
  const before = await needMandate(tx, tenant, id, now);
  const terms: Terms = { ...termsOf(before), ...definedOf(change) };
  const next = state ?? stored;
  if (canonicalJson({ ...terms, state: next }) === canonicalJson({ ...termsOf(before), state: stored }))
    return { before, after: before };
  if (before.source === 'ap2' && signedTerms.some(term => change[term] !== undefined))
    throw invalidTransition('This mandate was signed elsewhere; it can be paused, resumed, revoked, and renamed.');
  if (stored === 'revoked') throw invalidTransition('A revoked mandate cannot be changed; create a new one.');
  needOrder(terms);
  if (state === 'active' && terms.valid_until !== null && Date.parse(terms.valid_until) <= now)
    throw invalidTransition('This mandate has expired; give it a later valid_until to make it active.');
  await tx.query(sql.unsafe`
    update mandates set version = version + 1, name = ${terms.name}, state = ${next}, valid_from = ${terms.valid_from},
      valid_until = ${terms.valid_until}, human_presence = ${terms.human_presence}, external_ref = ${terms.external_ref},
      constraints = ${JSON.stringify(terms.constraints)}::jsonb
    where org_id = ${org_id} and environment = ${environment} and id = ${id}`);
  await keepVersion(tx, tenant, id, changed_by, now);
  return { before, after: await needMandate(tx, tenant, id, now) };
}

/** The members of an imported mandate that its signature covers. */
const signedTerms = ['valid_from', 'valid_until', 'constraints', 'external_ref'] as const;

/** The owner of the mandate; also registers the agent and the owner. */
async function registerParties(
  tx: Db,
  tenant: Tenant,
  { agent_id, owner_id: own_id }: NewMandate,
  now: number,
): Promise<string> {
  const { org_id, environment } = tenant;
  const agent_owner = await tx.maybeOneFirst(sql.type(z.object({ owner_id: z.string() }))`
    select owner_id from agents where org_id = ${org_id} and environment = ${environment} and id = ${agent_id}`);
  const owner_id = own_id ?? agent_owner;
  if (!owner_id)
    throw unprocessable('/owner_id', 'required', 'This agent is not registered yet: give its owner as owner_id.');
  if (owner_id !== agent_owner) await registerOwners(tx, tenant, [{ id: owner_id }], now);
  if (!agent_owner) await registerAgents(tx, tenant, [{ id: agent_id, owner_id }], now);
  return owner_id;
}

/** Saves the current terms of a mandate as its current version. */
export const keepVersion = (
  tx: Db,
  { org_id, environment }: Tenant,
  id: string,
  created_by: string | null,
  now: number,
) =>
  tx.query(sql.unsafe`
    insert into mandate_versions (org_id, environment, mandate_id, version, name, state, valid_from, valid_until, human_presence,
      constraints, external_ref, created_at, created_by)
    select org_id, environment, id, version, name, state, valid_from, valid_until, human_presence, constraints, external_ref,
      ${timestamp(now)}, ${created_by}
    from mandates where org_id = ${org_id} and environment = ${environment} and id = ${id}`);

async function needMandate(tx: Db, tenant: Tenant, id: string, now: number): Promise<Mandate> {
  return orNotFound('mandate', await findMandate(tx, tenant, id, now));
}

const termsOf = ({ name, valid_from, valid_until, human_presence, external_ref, constraints }: Terms): Terms => ({
  name,
  valid_from,
  valid_until,
  human_presence,
  external_ref,
  constraints,
});

const definedOf = (terms: Partial<Terms>): Partial<Terms> =>
  Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));

function needOrder({ valid_from, valid_until }: Pick<Terms, 'valid_from' | 'valid_until'>): void {
  if (valid_from !== null && valid_until !== null && valid_from >= valid_until)
    throw invalidDetail('/valid_until', 'too_small', 'valid_until must be later than valid_from.');
}
