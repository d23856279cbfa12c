import { z } from 'zod';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const Backlog = z.object({ org_id: z.string(), environment: z.string(), seq: z.number(), size: z.number() });

/** The ends of these logs and how far they are analyzed: two primary key look-ups each. */
export const readBacklogs = (db: Db, tenants: readonly Tenant[]) =>
  db.any(sql.type(Backlog)`
    select l.org_id, l.environment, c.seq, l.size
    from ${tableOf('t', tenants, { org_id: 'text', environment: 'text' })}
    join event_logs l using (org_id, environment)
    join detection_cursors c using (org_id, environment)`);
