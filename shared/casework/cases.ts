import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { Id } from '#shared/interface/ids.ts';
import { byChange, checkSort, direction, type Order, ordered, updatedFrom } from '#shared/interface/changes.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { linksColumn, MOST_LINKS } from './case_links.ts';
import { CaseStatus, CaseTimelineEntry, MOST_ENTRIES, timelineColumn } from './case_timeline.ts';
import { type Tenant, Timestamp, TimeFilter } from '#shared/interface/schemas.ts';

export const CasePriority = z.enum(['low', 'medium', 'high', 'critical']).meta({ id: 'CasePriority' });

export const Case = z
  .object({
    id: Id('cas'),
    title: z.string(),
    status: CaseStatus,
    priority: CasePriority,
    assignee_id: Id('usr').nullable(),
    created_by: z.string().nullable().meta({ description: '`usr_…`, `key_…`, or null: the system' }),
    created_at: Timestamp,
    updated_at: Timestamp.meta({ description: 'when it or its timeline changed last' }),
    closed_at: Timestamp.nullable(),
    closing_note: z.string().nullable(),
  })
  .meta({ id: 'Case' });
export type Case = z.infer<typeof Case>;

const newestIds = (prefix: 'alr' | 'evt' | 'scr' | 'pck') => z.array(Id(prefix)).max(MOST_LINKS);

export const CaseDetail = Case.extend({
  links: z
    .object({
      alert_ids: newestIds('alr'),
      event_ids: newestIds('evt'),
      screening_ids: newestIds('scr'),
      pack_ids: newestIds('pck'),
    })
    .meta({
      description: `Of each kind the ${MOST_LINKS} that were linked last, newest first. A closed case keeps the link of an alert that went on in another case.`,
    }),
  timeline: z
    .array(CaseTimelineEntry)
    .max(MOST_ENTRIES)
    .meta({ description: `The latest ${MOST_ENTRIES} things that happened, oldest first.` }),
}).meta({ id: 'CaseDetail' });
export type CaseDetail = z.infer<typeof CaseDetail>;

export const CaseFilters = z.strictObject({
  status: CaseStatus.optional(),
  priority: CasePriority.optional(),
  assignee_id: Id('usr').optional(),
  agent_id: Id('agt').optional().meta({ description: 'that an alert or event of this agent is linked to' }),
  from: TimeFilter.optional().meta({ description: 'created at this time or later' }),
  to: TimeFilter.optional().meta({ description: 'created before this time' }),
  sort: z.enum(['created_at', 'priority', 'updated_at']).optional().meta({
    description: 'the newest first, as without it; the highest priority first; or what changed last first',
  }),
  direction,
  updated_from: updatedFrom,
});
export type CaseFilters = z.infer<typeof CaseFilters>;

/** The columns of a case, of a table or alias `c`. */
export const caseColumns = sql.fragment`c.id, c.title, c.status, c.priority, c.assignee_id, c.created_by, c.created_at, c.updated_at, c.closed_at,
  c.closing_note`;

/**
 * Cases of a tenant, filtered, newest first or, from a time on, in the order of their changes. `agent_id` finds cases with any link about
 * that agent. `final_until`: with `updated_from`, a time until which changes are known to be final.
 */
export async function listCases(
  db: Db,
  { org_id, environment }: Tenant,
  filters: CaseFilters & { final_until?: string },
  page: PageRequest,
): Promise<Page<Case>> {
  const { status, priority, assignee_id, agent_id, from, to, sort, updated_from, final_until } = filters;
  checkSort(filters);
  const chosen: Order<Case> | null =
    updated_from === undefined ? orderOf(sort) : await byChange(db, 'cases', sql.fragment`c.updated_at`, final_until);
  const order = ordered(chosen, sql.fragment`c.id`, page, filters.direction);
  const rows = await db.any(sql.type(Case)`
    select ${caseColumns} from cases c
    where ${sql.and([
      sql.fragment`c.org_id = ${org_id} and c.environment = ${environment}`,
      status !== undefined && sql.fragment`c.status = ${status}`,
      priority !== undefined && sql.fragment`c.priority = ${priority}`,
      assignee_id !== undefined && sql.fragment`c.assignee_id = ${assignee_id}`,
      agent_id !== undefined &&
        sql.fragment`c.id in (
        select n.case_id from case_agents n
        where n.org_id = ${org_id} and n.environment = ${environment} and n.agent_id = ${agent_id})`,
      from !== undefined && sql.fragment`c.created_at >= ${from}`,
      to !== undefined && sql.fragment`c.created_at < ${to}`,
      updated_from !== undefined && sql.fragment`c.updated_at >= ${updated_from}`,
      order.after,
    ])}
    order by ${order.by} limit ${page.limit + 1}`);
  return pageOf(rows, page, order.keyOf);
}

function orderOf(sort: CaseFilters['sort']): Order<Case> | null {
  if (sort === 'updated_at')
    return { by: sql.fragment`c.updated_at`, type: 'timestamptz', direction: 'desc', keyOf: row => row.updated_at };
  if (sort !== 'priority') return null;
  const rankOf = ({ priority }: Case) => String(CasePriority.options.indexOf(priority) + 1);
  return { by: sql.fragment`severity_rank(c.priority)`, type: 'int4', direction: 'desc', keyOf: rankOf };
}

/** One case with its links and its timeline. Null when the tenant has no such case. */
export const findCase = (db: Db, { org_id, environment }: Tenant, id: string) =>
  db.maybeOne(sql.type(CaseDetail)`
    select ${caseColumns}, ${linksColumn} as links, ${timelineColumn} as timeline from cases c
    where c.org_id = ${org_id} and c.environment = ${environment} and c.id = ${id}`);
