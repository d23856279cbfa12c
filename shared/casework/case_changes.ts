import type { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict, invalidTransition, orNotFound } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import type { CaseChange, NewCase, NewCaseStatus } from './case_input.ts';
import { findTargets, linkTargets } from './case_links.ts';
import { type CaseStatus, type LinkedIds, type NewEntry, noteInCase } from './case_timeline.ts';
import { Case, caseColumns, type CaseDetail, findCase } from './cases.ts';
import { needAssignee } from '#shared/people/members.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** Who changes a case, for its timeline. */
type Actor = { actor_id: string | null };

/**
 * Opens a case. If everything linked to it is about one agent, later escalated alerts of that agent join it. Throws `unprocessable` for an
 * unknown id, and `conflict` when an alert is in a case that is not closed.
 */
export async function createCase(
  tx: Db,
  tenant: Tenant,
  input: z.output<typeof NewCase>,
  { actor_id }: Actor,
  now: number,
): Promise<Case> {
  const { org_id, environment } = tenant;
  await needAssignee(tx, org_id, input.assignee_id);
  const targets = await findTargets(tx, tenant, input, null);
  const [agent_id = null, ...others] = new Set(targets.map(target => target.agent_id));
  const created = await tx.one(sql.type(Case)`
    insert into cases as c (org_id, environment, id, title, priority, assignee_id, agent_id, created_by, created_at)
    values (${org_id}, ${environment}, ${newId('cas', now)}, ${input.title}, ${input.priority}, ${input.assignee_id},
      ${others.length > 0 ? null : agent_id}, ${actor_id}, ${timestamp(now)})
    returning ${caseColumns}`);
  const entries: NewEntry[] = [{ kind: 'created' }];
  if (input.assignee_id !== null) entries.push({ kind: 'assigned', from: null, to: input.assignee_id });
  await noteInCase(tx, tenant, created.id, actor_id, entries, now);
  if (targets.length > 0) await linkTargets(tx, tenant, created.id, targets, actor_id, now);
  return created;
}

/** Changes the members that `change` has. Throws `not_found`, and `unprocessable` when the assignee is no member. */
export async function changeCase(
  tx: Db,
  tenant: Tenant,
  id: string,
  change: z.output<typeof CaseChange>,
  { actor_id }: Actor,
  now: number,
): Promise<{ before: Case; after: Case }> {
  const { org_id, environment } = tenant;
  const before = await lockCase(tx, tenant, id);
  const { title = before.title, priority = before.priority, assignee_id = before.assignee_id } = change;
  if (assignee_id !== before.assignee_id) await needAssignee(tx, org_id, assignee_id);
  const entries: NewEntry[] = [];
  if (title !== before.title) entries.push({ kind: 'changed', field: 'title', from: before.title, to: title });
  if (priority !== before.priority)
    entries.push({ kind: 'changed', field: 'priority', from: before.priority, to: priority });
  if (assignee_id !== before.assignee_id) entries.push({ kind: 'assigned', from: before.assignee_id, to: assignee_id });
  if (entries.length === 0) return { before, after: before };
  const after = await tx.one(sql.type(Case)`
    update cases c set title = ${title}, priority = ${priority}, assignee_id = ${assignee_id}
    where c.org_id = ${org_id} and c.environment = ${environment} and c.id = ${id}
    returning ${caseColumns}`);
  await noteInCase(tx, tenant, id, actor_id, entries, now);
  return { before, after };
}

/** The statuses each status leads to. Anything else is not allowed. */
export const caseTransitions: Record<CaseStatus, readonly CaseStatus[]> = {
  open: ['investigating', 'closed'],
  investigating: ['open', 'closed'],
  closed: ['investigating'],
};

/**
 * Moves a case to another status; repeating its status changes nothing, but a closed case without a note takes one. Throws `not_found`,
 * `conflict` where it is not in the status that it was to be moved `from`, and `invalid_transition`.
 */
export async function changeCaseStatus(
  tx: Db,
  tenant: Tenant,
  id: string,
  { status, closing_note: note, from }: z.output<typeof NewCaseStatus>,
  { actor_id }: Actor,
  now: number,
): Promise<{ before: Case; after: Case }> {
  const { org_id, environment } = tenant;
  const closing_note = note ?? null;
  const before = await lockCase(tx, tenant, id);
  if (from !== undefined && from !== before.status)
    throw conflict(`The case is ${before.status} now, no longer ${from}.`);
  const is_same = status === before.status;
  if (is_same && (closing_note === null || before.closing_note !== null)) return { before, after: before };
  const allowed = caseTransitions[before.status];
  if (!is_same && !allowed.includes(status))
    throw invalidTransition(`A case that is ${before.status} cannot become ${status}, only ${allowed.join(' or ')}.`);
  const after = await tx.one(sql.type(Case)`
    update cases c set status = ${status}, closing_note = ${closing_note},
      closed_at = ${status === 'closed' ? (before.closed_at ?? timestamp(now)) : null}
    where c.org_id = ${org_id} and c.environment = ${environment} and c.id = ${id} and c.status = ${before.status}
    returning ${caseColumns}`);
  const entry: NewEntry = { kind: 'status_changed', from: before.status, to: status, text: closing_note };
  await noteInCase(tx, tenant, id, actor_id, [entry], now);
  return { before, after };
}

/** Adds a comment to a case, open or closed. Throws `not_found`. */
export async function commentOnCase(
  tx: Db,
  tenant: Tenant,
  id: string,
  text: string,
  { actor_id }: Actor,
  now: number,
): Promise<CaseDetail> {
  await lockCase(tx, tenant, id);
  await noteInCase(tx, tenant, id, actor_id, [{ kind: 'commented', text }], now);
  return needCase(tx, tenant, id);
}

/** Links records to a case, open or closed. Throws `not_found`, and what `findTargets` throws. */
export async function linkToCase(
  tx: Db,
  tenant: Tenant,
  id: string,
  ids: LinkedIds,
  { actor_id }: Actor,
  now: number,
): Promise<{ linked: LinkedIds; after: CaseDetail }> {
  await needCase(tx, tenant, id);
  const targets = await findTargets(tx, tenant, ids, id);
  await lockCase(tx, tenant, id);
  const linked = await linkTargets(tx, tenant, id, targets, actor_id, now);
  return { linked, after: await needCase(tx, tenant, id) };
}

async function needCase(tx: Db, tenant: Tenant, id: string): Promise<CaseDetail> {
  return orNotFound('case', await findCase(tx, tenant, id));
}

/** The case, locked until the transaction ends. */
async function lockCase(tx: Db, { org_id, environment }: Tenant, id: string): Promise<Case> {
  return orNotFound(
    'case',
    await tx.maybeOne(sql.type(Case)`
    select ${caseColumns} from cases c
    where c.org_id = ${org_id} and c.environment = ${environment} and c.id = ${id} for update`),
  );
}
