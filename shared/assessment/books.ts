import { z } from 'zod';
import type { EvaluationStep } from './evaluation_plan.ts';
import type { MandateSet } from './mandate_set.ts';
import { costOf, later, type SpendRecord } from './paid.ts';
import { everChanged, PaidMoney } from './paid_store.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { Milliseconds } from '#shared/events/ranges/load.ts';
import type { RangeCache } from '#shared/events/ranges/range_cache.ts';
import { type Book, type BookPayment, createBook } from '#shared/mandates/book.ts';
import type { Position } from '#shared/mandates/evaluation.ts';
import { horizon } from '#shared/mandates/reach.ts';
import type { Rates } from '#shared/values/price_in_usd.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** The book of a mandate with every payment from `from` on (null: all), as of `book_version` and by `rates`. */
export type BookEntry = {
  book: Book;
  from: number | null;
  book_version: number;
  rates: Rates;
  /** The latest event that was held against the mandate, whatever came of it; null while there is none. */
  newest: Position | null;
  /** The latest event of those payments whose cost changed after they were made, or may have; null while there is none. */
  changed: Position | null;
};

export type Books = { entry(mandate_id: string): BookEntry };

/**
 * The book of a mandate with every payment from `from` on (null: all). `since`: `newest` and `changed` know of all that happened to payments
 * that were made from then on, which may be longer ago.
 */
type WantedBook = { mandate_id: string; from: number | null; since: number | null };

/** The spend books that a plan's steps need. */
export function booksFor(steps: readonly EvaluationStep[]): WantedBook[] {
  const wanted = new Map<string, WantedBook>();
  for (const { mandate, position, judged, report } of steps) {
    const since = horizon(mandate.constraints, position.at, mandate.anchor);
    // A refund of an old payment needs no more of the past than a payment made now.
    const from = judged ? since : horizon(mandate.constraints, report.event.occurred_at, mandate.anchor);
    const other = wanted.get(mandate.id) ?? { from, since };
    wanted.set(mandate.id, {
      mandate_id: mandate.id,
      from: earlier(other.from, from),
      since: earlier(other.since, since),
    });
  }
  return [...wanted.values()];
}

/** Books from the cache, or loaded as they were before the range. One that does not reach back far enough is loaded again. */
export async function loadBooks(
  tx: Db,
  tenant: Tenant,
  wanted: readonly WantedBook[],
  mandates: MandateSet,
  rates: Rates,
  cache?: RangeCache<BookEntry>,
): Promise<Books> {
  const entries = new Map<string, BookEntry>();
  const missing: { id: string; from: number | null; since: number | null; book_version: number }[] = [];
  for (const { mandate_id: id, from, since } of wanted) {
    const book_version = mandates.bookVersion(id);
    const entry = cache?.get(tenant, id);
    const reaches = entry && (entry.from === null || (from !== null && entry.from <= from));
    // A cache sizes what is new to it, and this one grows.
    if (entry && reaches && entry.book_version === book_version && entry.rates === rates) entries.set(id, { ...entry });
    else missing.push({ id, from, since, book_version });
  }
  const marks = await loadMarks(tx, tenant, missing);
  for (const { id, from, book_version } of missing)
    entries.set(id, { book: createBook(rates), from, book_version, rates, ...(marks.get(id) ?? noMarks) });
  await fill(tx, tenant, missing, entries);
  for (const [id, entry] of entries) cache?.set(tenant, id, entry);
  return {
    entry(id) {
      const entry = entries.get(id);
      if (!entry) throw new Error('the book of a mandate was not loaded');
      return entry;
    },
  };
}

export const sizeOfBook = ({ book }: BookEntry): number => book.size() + 10;

const earlier = (a: number | null, b: number | null) => (a === null || b === null ? null : Math.min(a, b));

type Marks = Pick<BookEntry, 'newest' | 'changed'>;

const noMarks: Marks = { newest: null, changed: null };

const MarksRow = z.object({
  mandate_id: z.string(),
  at: Milliseconds.nullable(),
  seq: z.number().nullable(),
  latest_at: Milliseconds.nullable(),
  changed_at: Milliseconds.nullable(),
});

async function loadMarks(
  tx: Db,
  { org_id, environment }: Tenant,
  wanted: readonly { id: string; since: number | null }[],
): Promise<Map<string, Marks>> {
  if (wanted.length === 0) return new Map();
  const rows = await tx.any(sql.type(MarksRow)`
    select w.id as mandate_id, e.at, e.seq, p.latest_at, p.changed_at
    from ${sinceRows(wanted.map(({ id, since }) => [id, since]))}
    left join lateral (
      select position_at as at, position_seq as seq from mandate_evaluations
      where org_id = ${org_id} and environment = ${environment} and mandate_id = w.id
      order by position_at desc, position_seq desc limit 1) e on true
    cross join lateral (
      select max(latest_at) as latest_at, max(latest_at) filter (where ${everChanged}) as changed_at from mandate_payments
      where org_id = ${org_id} and environment = ${environment} and mandate_id = w.id and paid_at >= w.since) p`);
  return new Map(
    rows.map(({ mandate_id, at, seq, latest_at, changed_at }) => {
      const judged = at === null || seq === null ? null : { at, seq };
      return [mandate_id, { newest: later(judged, endOfMoment(latest_at)), changed: endOfMoment(changed_at) }];
    }),
  );
}

/** After everything that happened at a time. */
const endOfMoment = (at: number | null): Position | null => (at === null ? null : { at, seq: Infinity });

/** Mandates with times since when (null: ever), as a table `w (id, since)`. */
const sinceRows = (rows: readonly (readonly [id: string, since: number | null])[]) => sql.fragment`
  ${sql.unnest(
    rows.map(([id, since]) => [id, since === null ? '-infinity' : timestamp(since)]),
    ['text', 'timestamptz'],
  )} as w (id, since)`;

const MOST_AT_ONCE = 20_000;

/** Reads what was paid under these mandates, page by page: a mandate may have any number of payments. */
async function fill(
  tx: Db,
  { org_id, environment }: Tenant,
  wanted: readonly { id: string; from: number | null }[],
  entries: ReadonlyMap<string, BookEntry>,
): Promise<void> {
  if (wanted.length === 0) return;
  const rows = sinceRows(wanted.map(({ id, from }) => [id, from]));
  let after: { mandate_id: string; paid_at: number; paid_seq: number } | null = null;
  for (;;) {
    const page: readonly z.infer<typeof PaidRow>[] = await tx.any(sql.type(PaidRow)`
      select p.mandate_id, p.paid_at as at, p.paid_seq as seq, p.denomination, p.value::text as value, p.usd_micro::text as usd_micro,
        p.refunded_in, p.refunded_value::text as refunded_value, p.refunded_usd_micro::text as refunded_usd_micro
      from ${rows}
      join mandate_payments p on p.org_id = ${org_id} and p.environment = ${environment} and p.mandate_id = w.id
        and p.paid_at >= w.since and not p.undone
      where ${after === null ? sql.fragment`true` : sql.fragment`(p.mandate_id, p.paid_at, p.paid_seq) > (${after.mandate_id}, ${timestamp(after.paid_at)}, ${after.paid_seq})`}
      order by p.mandate_id, p.paid_at, p.paid_seq limit ${MOST_AT_ONCE}`);
    for (const { mandate_id, at, seq, ...money } of page) {
      const entry = entries.get(mandate_id);
      if (entry) putSpent(entry, null, costOf({ at, seq }, money));
    }
    const last = page.at(-1);
    if (!last || page.length < MOST_AT_ONCE) return;
    after = { mandate_id: last.mandate_id, paid_at: last.at, paid_seq: last.seq };
  }
}

const PaidRow = PaidMoney.extend({ mandate_id: z.string(), at: Milliseconds, seq: z.number() });

/** Puts what a payment costs now in the place of what it cost (null: nothing). Answers whether that changed anything. */
export function putSpent(entry: BookEntry, former: SpendRecord | null, spent: SpendRecord | null): boolean {
  if (isSameCost(former, spent)) return false;
  if (former && reaches(entry, former)) entry.book.remove(paymentOf(former));
  if (spent && reaches(entry, spent)) entry.book.put(paymentOf(spent));
  return true;
}

const reaches = ({ from }: BookEntry, { position }: SpendRecord) => from === null || position.at >= from;

/** A payment as a book has it. */
export const paymentOf = ({ position, ...money }: SpendRecord): BookPayment => ({ ...position, ...money });

export const isSameCost = (a: SpendRecord | null, b: SpendRecord | null) =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.position.at === b.position.at &&
    a.position.seq === b.position.seq &&
    a.denomination === b.denomination &&
    a.value === b.value &&
    a.usd_micro === b.usd_micro);
