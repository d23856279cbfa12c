import { z } from 'zod';
import { type Db, holdsText, sql } from '#shared/platform/db.ts';
import { Id } from '#shared/interface/ids.ts';
import { StoredConstraint } from '#shared/mandates/constraints.ts';
import { direction, ofEachState, type Order, ordered } from '#shared/interface/changes.ts';
import { byName, keyedPage, sortKey } from '#shared/events/parties/party_order.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { SearchText, type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { MINUTE, timestamp } from '#shared/values/time.ts';

const MandateState = z.enum(['active', 'paused', 'expired', 'revoked', 'exhausted']).meta({
  id: 'MandateState',
  description:
    '`expired` follows from `valid_until`, and shows within a minute of it; payments are judged to the millisecond. `exhausted`: its budget is used up.',
});
/** What is stored of it. */
const SetState = MandateState.exclude(['expired']);
export const HumanPresence = z.enum(['required', 'not_required']).meta({ id: 'HumanPresence' });

const terms = {
  name: z.string(),
  valid_from: Timestamp.nullable(),
  valid_until: Timestamp.nullable(),
  human_presence: HumanPresence,
  constraints: z.array(StoredConstraint),
  external_ref: z.string().nullable(),
};

export const Mandate = z
  .object({
    id: Id('mnd'),
    agent_id: Id('agt'),
    owner_id: Id('own'),
    state: MandateState,
    version: z.int().min(1),
    ...terms,
    source: z.enum(['native', 'ap2']),
    signed_constraints: z
      .array(z.record(z.string(), z.unknown()))
      .nullable()
      .meta({ description: 'of an imported mandate: the constraints as they were signed' }),
    created_at: Timestamp,
    created_by: z.string().nullable().meta({ description: '`usr_…`, or null: the operator' }),
  })
  .meta({ id: 'Mandate' });
export type Mandate = z.infer<typeof Mandate>;

export const MandateVersion = z
  .object({
    version: z.int().min(1),
    state: SetState.meta({ description: 'as it was set' }),
    ...terms,
    created_at: Timestamp.meta({ description: 'when this version began' }),
    created_by: z.string().nullable().meta({ description: 'who made it; null: the operator or the system' }),
  })
  .meta({ id: 'MandateVersion' });
export type MandateVersion = z.infer<typeof MandateVersion>;

export const MandateFilters = z.strictObject({
  agent_id: Id('agt').optional(),
  owner_id: Id('own').optional(),
  state: MandateState.optional(),
  q: SearchText.optional().meta({
    description: 'part of the name or the external reference, whatever its case; or the exact id',
  }),
  sort: z
    .enum(['created_at', 'name', 'valid_until'])
    .optional()
    .meta({ description: 'the newest first, as without it; by name; or what expires first, and last what never does' }),
  direction,
});
export type MandateFilters = z.infer<typeof MandateFilters>;

/** The columns of a mandate as of this minute, so that a response stays the same for as long as its ETag does. */
const mandateColumns = (
  now: number,
) => sql.fragment`id, agent_id, owner_id, name, ${stateAt(now)} as state, version, valid_from,
  valid_until, human_presence, constraints, external_ref, source, signed_constraints, created_at, created_by`;

const MandateRow = Mandate.extend(sortKey);
type MandateRow = z.infer<typeof MandateRow>;

// As the indexes define them.
const byMandateName = byName(sql.fragment`name`);
const byExpiry: Order<MandateRow> = {
  by: sql.fragment`coalesce(valid_until, 'infinity')`,
  type: 'timestamptz',
  direction: 'asc',
  keyOf: ({ sort_key }) => sort_key,
};

/** Mandates of a tenant, newest first or in the order that is asked for, filtered. */
export async function listMandates(
  db: Db,
  { org_id, environment }: Tenant,
  { agent_id, owner_id, state, q, sort, direction }: MandateFilters,
  page: PageRequest,
  now: number,
): Promise<Page<Mandate>> {
  const chosen = sort === 'name' ? byMandateName : sort === 'valid_until' ? byExpiry : null;
  const order = ordered<MandateRow>(chosen, sql.fragment`id`, page, direction);
  const limit = page.limit + 1;
  const where = sql.and([
    sql.fragment`org_id = ${org_id} and environment = ${environment}`,
    agent_id !== undefined && sql.fragment`agent_id = ${agent_id}`,
    owner_id !== undefined && sql.fragment`owner_id = ${owner_id}`,
    state !== undefined && isIn(state, now),
    q !== undefined &&
      sql.fragment`(${holdsText(sql.fragment`name || ' ' || coalesce(external_ref, '')`, q)} or id = ${q})`,
    order.after,
  ]);
  const states = state === undefined || state === 'expired' ? SetState.options : [state];
  const source = chosen
    ? ofEachState(states, 'mandates', 'mandates', { where, by: order.by, limit })
    : sql.fragment`mandates where ${where}`;
  const rows = await db.any(sql.type(MandateRow)`
    select ${mandateColumns(now)}, (${chosen?.by ?? sql.fragment`id`})::text as sort_key from ${source}
    order by ${order.by} limit ${limit}`);
  return keyedPage(rows, page, order.keyOf);
}

/** One mandate. Null when the tenant has no such mandate. */
export const findMandate = (db: Db, { org_id, environment }: Tenant, id: string, now: number) =>
  db.maybeOne(sql.type(Mandate)`
    select ${mandateColumns(now)} from mandates
    where org_id = ${org_id} and environment = ${environment} and id = ${id}`);

/** The versions of a mandate, newest first. */
export async function listMandateVersions(
  db: Db,
  { org_id, environment }: Tenant,
  id: string,
  page: PageRequest,
): Promise<Page<MandateVersion>> {
  const rows = await db.any(sql.type(MandateVersion)`
    select version, name, state, valid_from, valid_until, human_presence, constraints, external_ref, created_at, created_by
    from mandate_versions
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment} and mandate_id = ${id}`,
      page.after !== null && sql.fragment`version < ${Number(page.after)}`,
    ])}
    order by version desc limit ${page.limit + 1}`);
  return pageOf(rows, page, row => row.version);
}

const minuteOf = (now: number) => timestamp(Math.floor(now / MINUTE) * MINUTE);

/** The state in the minute of `now`: the one set, unless the mandate has expired. */
const stateAt = (now: number) =>
  sql.fragment`case when state <> 'revoked' and valid_until <= ${minuteOf(now)} then 'expired' else state end`;

/** Whether that is the state, in conditions of which the planner knows how many mandates meet them. */
function isIn(state: Mandate['state'], now: number) {
  if (state === 'expired') return sql.fragment`state <> 'revoked' and valid_until <= ${minuteOf(now)}`;
  if (state === 'revoked') return sql.fragment`state = 'revoked'`;
  return sql.fragment`state = ${state} and coalesce(valid_until, 'infinity') > ${minuteOf(now)}`;
}
