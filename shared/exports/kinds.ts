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

/** From this time on, and before that one, as the list of the kind takes them. */
type Range = { from?: string | undefined; to?: string | undefined };

/** A kind of records: how one is described, and a page of them. They are what the API lists, in the words of the API. */
export type Records = {
  schema: z.ZodObject;
  list(db: Db, tenant: Tenant, range: Range, page: PageRequest): Promise<Page<Record<string, unknown>>>;
  /** Where a record stands between the first and the last that may come: a number that goes from one to the other. */
  position(record: Record<string, unknown>): number;
};

const timeOf = (member: string) => (record: Record<string, unknown>) => Date.parse(String(record[member]));

export const records: Record<ExportKind, Records> = {
  events: {
    schema: Event,
    // Along the log: the others are listed newest first.
    list: (db, tenant, range, page) => listEvents(db, tenant, { after_seq: 0, ...range }, page),
    position: record => Number(record['chain_seq']),
  },
  alerts: { schema: Alert, list: listAlerts, position: timeOf('created_at') },
  cases: { schema: Case, list: listCases, position: timeOf('created_at') },
  screenings: { schema: Screening, list: listScreenings, position: timeOf('created_at') },
  audit: { schema: AuditRecord, list: listAudit, position: timeOf('at') },
};
