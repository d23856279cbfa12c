import { z } from 'zod';
import { Alert, AlertFilters, listAlerts } from '#shared/casework/alerts.ts';
import { Case, CaseFilters, listCases } from '#shared/casework/cases.ts';
import { EventFilters } from '#shared/events/log/event_filters.ts';
import { Event, listEvents } from '#shared/events/log/events.ts';
import { AuditFilters, AuditRecord, listAudit } from '#shared/interface/audit_log.ts';
import type { Followed } from '#shared/interface/changes.ts';
import { invalidRequest } from '#shared/interface/errors.ts';
import type { Page, PageRequest } from '#shared/interface/page.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { validate } from '#shared/json/issues.ts';
import type { Db } from '#shared/platform/db.ts';
import { listScreenings, Screening, ScreeningFilters } from '#shared/screening/store/screenings.ts';
import type { ExportKind } from '#shared/exports/store/exports.ts';

/** From `from` on, before `to`, as the list of the kind takes them. */
type Range = { from?: string | undefined; to?: string | undefined };

/** An hour: from `from` on, before `to`; of events, those after the position `after_seq` of the log, to `last_seq`. */
export type Hour = { from: string; to: string; after_seq: number; last_seq: number };

/** A kind of records: how to describe one, and how to list a page of them. They are the same records, in the same words, as in the API. */
export type ExportedRecords = {
  schema: z.ZodObject;
  /** The filters of its list, besides those of time and order. */
  filters: z.ZodObject;
  list(db: Db, tenant: Tenant, range: Range, page: PageRequest): Promise<Page<Record<string, unknown>>>;
  /** The position of a record between the first and the last, as a number that runs from one to the other. */
  position(record: Record<string, unknown>): number;
  /** A page of those that came or changed in an hour or later, in that order: a record is found where its last change is. */
  changed(db: Db, tenant: Tenant, hour: Hour, page: PageRequest): Promise<Page<Record<string, unknown>>>;
  /** Whether that was still in the hour. */
  isOf(record: Record<string, unknown>, hour: Hour): boolean;
  /** The table whose changes must be visible before the hour is read, where changes have the time of the database. */
  settles?: Followed;
};

const isBefore = (member: string) => (record: Record<string, unknown>, hour: Hour) => String(record[member]) < hour.to;
const timeOf = (member: string) => (record: Record<string, unknown>) => Date.parse(String(record[member]));

export const records: Record<ExportKind, ExportedRecords> = {
  events: {
    schema: Event,
    filters: EventFilters.omit({ from: true, to: true, after_seq: true }),
    // In log order; the other kinds are listed newest first.
    list: (db, tenant, range, page) => listEvents(db, tenant, { after_seq: 0, ...range }, page),
    position: record => Number(record['chain_seq']),
    changed: (db, tenant, { after_seq }, page) => listEvents(db, tenant, { after_seq }, page),
    isOf: (record, { last_seq }) => Number(record['chain_seq']) <= last_seq,
  },
  alerts: {
    schema: Alert,
    filters: AlertFilters.omit({ from: true, to: true, updated_from: true, sort: true, direction: true }),
    list: listAlerts,
    position: timeOf('created_at'),
    changed: (db, tenant, { from, to }, page) => listAlerts(db, tenant, { updated_from: from, final_until: to }, page),
    isOf: isBefore('updated_at'),
    settles: 'alert_changes',
  },
  cases: {
    schema: Case,
    filters: CaseFilters.omit({ from: true, to: true, updated_from: true, sort: true, direction: true }),
    list: listCases,
    position: timeOf('created_at'),
    changed: (db, tenant, { from, to }, page) => listCases(db, tenant, { updated_from: from, final_until: to }, page),
    isOf: isBefore('updated_at'),
    settles: 'cases',
  },
  screenings: {
    schema: Screening,
    filters: ScreeningFilters.omit({ from: true, to: true, sort: true, direction: true }),
    list: listScreenings,
    position: timeOf('created_at'),
    changed: (db, tenant, { from }, page) => listScreenings(db, tenant, { changed_from: from }, page),
    isOf: isBefore('updated_at'),
  },
  audit: {
    schema: AuditRecord,
    filters: AuditFilters.omit({ from: true, to: true, direction: true }),
    list: listAudit,
    position: timeOf('at'),
    changed: (db, tenant, { from }, page) => listAudit(db, tenant, { from, is_oldest_first: true }, page),
    isOf: isBefore('at'),
  },
};

/** The filters of an export, as its list takes them. Throws `invalid_request` for one that the list has not, or a value that is none. */
export function readFilters(kind: ExportKind, filters: Record<string, string>): Record<string, unknown> {
  const read = validate(z.object({ filters: records[kind].filters }), { filters });
  if (read.ok) return read.value.filters;
  throw invalidRequest(read.issues[0]?.message ?? 'The filters are not valid.', read.issues);
}
