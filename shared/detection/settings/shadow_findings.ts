import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { Id } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { Severity } from '#shared/casework/alerts.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';

/** A finding for which a detector raised no alert. */
export const ShadowFinding = z
  .object({
    id: Id('shf'),
    detector: z.string(),
    agent_id: Id('agt'),
    event_id: Id('evt').meta({ description: 'the event with the highest score' }),
    subject: z.string().meta({ description: 'what it is about besides the agent; empty: nothing further' }),
    reason: z.enum(['shadow', 'below_floor', 'cooldown']).meta({
      description:
        'the detector was in shadow, the severity below its `severity_floor`, or an alert like it closed within its `cooldown_s`',
    }),
    severity: Severity,
    score: z.number().min(0).max(100),
    title: z.string(),
    explanation: z.string(),
    hits: z.int().min(1).meta({ description: 'how often it was found on that day (UTC)' }),
    created_at: Timestamp,
    last_at: Timestamp,
  })
  .meta({ id: 'ShadowFinding' });
export type ShadowFinding = z.infer<typeof ShadowFinding>;

/** The findings of a detector that raised no alert, newest first. */
export async function listShadowFindings(
  db: Db,
  { org_id, environment }: Tenant,
  detector: string,
  page: PageRequest,
): Promise<Page<ShadowFinding>> {
  const rows = await db.any(sql.type(ShadowFinding)`
    select id, detector, agent_id, event_id, subject, reason, severity, score::float8 as score, title, explanation, hits, created_at, last_at
    from shadow_findings
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment} and detector = ${detector}`,
      page.after !== null && sql.fragment`id < ${page.after}`,
    ])}
    order by id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, ({ id }) => id);
}
