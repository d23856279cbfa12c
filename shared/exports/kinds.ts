import type { z } from 'zod';
import { Alert, listAlerts } from '#shared/casework/alerts.ts';
import { Case, listCases } from '#shared/casework/cases.ts';
import { Event, listEvents } from '#shared/events/log/events.ts';
import { AuditRecord, listAudit } from '#shared/interface/audit_log.ts';
import type { Page, PageRequest } from '#shared/interface/page.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Db } from '#shared/platform/db.ts';
import { listScreenings, Screening } from '#shared/screening/store/screenings.ts';
import type { ExportKind } from '#shared/exports/store/exports.ts';

/** From `from` on, before `to`, as the list of the kind takes them. */
type Range = { from?: string | undefined; to?: string | undefined };

/** A kind of records: how to describe one, and how to list a page of them. They are the same records, in the same words, as in the API. */
export type Records = {
  schema: z.ZodObject;
  list(db: Db, tenant: Tenant, range: Range, page: PageRequest): Promise<Page<Record<string, unknown>>>;
  /** The position of a record between the first and the last, as a number that runs from one to the other. */
  position(record: Record<string, unknown>): number;
};

const timeOf = (member: string) => (record: Record<string, unknown>) => Date.parse(String(record[member]));

export const records: Record<ExportKind, Records> = {
  events: {
    schema: Event,
    // In log order; the other kinds are listed newest first.
    list: (db, tenant, range, page) => listEvents(db, tenant, { after_seq: 0, ...range }, page),
    position: record => Number(record['chain_seq']),
  },
  alerts: { schema: Alert, list: listAlerts, position: timeOf('created_at') },
  cases: { schema: Case, list: listCases, position: timeOf('created_at') },
  screenings: { schema: Screening, list: listScreenings, position: timeOf('created_at') },
  audit: { schema: AuditRecord, list: listAudit, position: timeOf('at') },
};
