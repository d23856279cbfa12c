import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { columnOf } from '#shared/platform/bulk.ts';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import type { DeltaIndexes } from './delta_indexes.ts';
import type { ReadyList } from './loaded_lists.ts';
import { areNewest } from './screen_due.ts';
import { findWaiting, lockPayees, makeDue, makePending, type PayeeRow, readPayees } from './screened_payees.ts';
import { isRemoved } from '#shared/screening/store/list_removal.ts';
import { moveRescreen, nextRescreen, type Rescreen, takeRescreen } from '#shared/screening/store/rescreens.ts';
import { queryOf, subjectOfPayee } from '#shared/screening/store/screening_query.ts';
import { readThreshold } from '#shared/screening/store/screening_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { type LoadedList, screen } from '#shared/screening/matcher/screen.ts';

/** Payees read in one transaction. If all of a list counts and not only its changes, this takes longer. */
const PAYEES = 1_000;
const PAYEES_IN_FULL = 200;
/**
 * The changes alone say less about how common a word is, so a name may score this much lower there than in the whole list (of 3,001 labeled
 * matches of OFAC's list none lost more than 0.074, and 1 % more than 0.016).
 */
const MARGIN = 0.1;

/** `payees` were read, of which `hits` are now due to be screened. `done`: that was the last part. */
type RescreenedPart = { rescreen: Rescreen; payees: number; hits: number; done: boolean };

/**
 * Reads the next payees of a log that must be compared with the changes in a list, and makes due those that may be concerned: those that
 * may match an added or changed entry, and those that matched a changed or removed one. All others only cost reading; payees that are due
 * anyway are screened against the new list. Where no list is left, all are due, and who was clear is pending. Null when nothing is to be done or
 * another process does it; `again` when something was loaded meanwhile.
 */
export async function rescreenPart(
  db: Pool,
  tenant: Tenant,
  { lists, deltas, now }: { lists: readonly ReadyList[]; deltas: DeltaIndexes; now: () => number },
): Promise<RescreenedPart | 'again' | null> {
  const next = await nextRescreen(db, tenant, now());
  if (!next) return null;
  const probes = await probesOf(db, next, lists, deltas);
  if (!probes) return 'again';
  return db.transaction(async tx => {
    const rescreen = await takeRescreen(tx, tenant, now());
    if (!rescreen) return null;
    if (!isSame(rescreen, next)) return 'again';
    const size = rescreen.in_full ? PAYEES_IN_FULL : PAYEES;
    const payees = await readPayees(tx, tenant, rescreen.after_id, size);
    const last = payees.length < size ? null : (payees.at(-1)?.id ?? null);
    const part = { rescreen, payees: payees.length, done: last === null };
    if (lists.length === 0 && payees.length > 0) {
      if (!(await areNewest(tx, tenant.org_id, lists))) return 'again';
      const ids = payees.map(({ id }) => id);
      await lockPayees(tx, tenant, ids);
      await makePending(tx, tenant, ids, now());
      await moveRescreen(tx, tenant, rescreen, last, now());
      await moveVersions(tx, tenant, ['payees']);
      return { ...part, hits: ids.length };
    }
    const threshold = await readThreshold(tx, tenant);
    const due = payees.filter(({ is_due }) => is_due).map(({ id }) => id);
    const waiting = new Set(await findWaiting(tx, tenant, due));
    // Another process may be screening them against the earlier list, or under a name that has changed since: they are screened again.
    const due_now = due.filter(id => !waiting.has(id));
    const others = payees.filter(({ is_due }) => !is_due);
    const concerned_ids = await concerned(tx, tenant, others, rescreen, payee =>
      mayMatch(payee, probes, lists, threshold),
    );
    const hits = [...due_now, ...concerned_ids];
    if (hits.length > 0) {
      await lockPayees(tx, tenant, hits);
      await makeDue(tx, tenant, hits, now());
    }
    await moveRescreen(tx, tenant, rescreen, last, now());
    return { ...part, hits: hits.length };
  });
}

const isSame = (a: Rescreen, b: Rescreen) =>
  a.list_org === b.list_org &&
  a.list === b.list &&
  a.from_version === b.from_version &&
  a.to_version === b.to_version &&
  a.in_full === b.in_full;

type Probes = { lists: readonly LoadedList[]; partial: boolean };

/** The entries to compare payees with. Null when that version of the list is not available. */
async function probesOf(
  db: Db,
  rescreen: Rescreen,
  lists: readonly ReadyList[],
  deltas: DeltaIndexes,
): Promise<Probes | null> {
  const { list_org, list: name, from_version, to_version, in_full } = rescreen;
  if (name === '') return { lists, partial: false };
  const list = lists.find(each => each.org_id === list_org && each.name === name);
  // When a list was removed, only payees that matched it or that it allowed are concerned.
  if (!list && (await isRemoved(db, { org_id: list_org, name })))
    return { lists: in_full ? lists : [], partial: false };
  if (!list || list.version < to_version) return null;
  if (in_full) return { lists, partial: false };
  if (from_version === 0) return { lists: [list], partial: false };
  const index = await deltas.of({ org_id: list_org, name }, from_version, to_version);
  return { lists: [{ name, version: to_version, index }], partial: true };
}

/** How long the event loop may be blocked, in milliseconds. */
const AT_A_TIME = 10;

/** Yields when the process has been busy for a while. */
function createBreath(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < AT_A_TIME) return;
    await setImmediate();
    since = performance.now();
  };
}

/** The payees among these that the change may concern. */
async function concerned(
  tx: Db,
  tenant: Tenant,
  payees: readonly PayeeRow[],
  rescreen: Rescreen,
  mayMatch: (payee: PayeeRow) => boolean,
): Promise<string[]> {
  const hits = new Set<string>();
  const breathe = createBreath();
  for (const payee of payees) {
    if ((rescreen.in_full && isMatching(payee)) || mayMatch(payee)) hits.add(payee.id);
    await breathe();
  }
  const matching = payees.filter(payee => isMatching(payee) && !hits.has(payee.id)).map(({ id }) => id);
  for (const id of await matchingChanged(tx, tenant, matching, rescreen)) hits.add(id);
  return [...hits];
}

/** Whether a payee's latest screening has matches, whatever was decided on them. */
const isMatching = ({ screening_state }: PayeeRow) => screening_state !== 'clear' && screening_state !== 'pending';

/**
 * Whether a payee matches now: the changes, and if so, the whole lists too. A payee that the matcher fails on is screened, and the failure
 * recorded there.
 */
function mayMatch(payee: PayeeRow, probes: Probes, lists: readonly LoadedList[], threshold: number): boolean {
  const query = queryOf(subjectOfPayee(payee));
  const matches = (where: readonly LoadedList[], from: number) =>
    screen(where, query, { threshold: from, limit: 1 }).matches.length > 0;
  try {
    if (!probes.partial) return matches(probes.lists, threshold);
    return matches(probes.lists, threshold - MARGIN) && matches(lists, threshold);
  } catch {
    return true;
  }
}

/** The payees among these whose latest screening has a match that changed or left the list. */
async function matchingChanged(
  tx: Db,
  { org_id, environment }: Tenant,
  payee_ids: readonly string[],
  { list_org, list, from_version }: Rescreen,
): Promise<readonly string[]> {
  if (payee_ids.length === 0) return [];
  const matched = await tx.any(sql.type(z.object({ payee_id: z.string(), entry_id: z.string() }))`
    select p.payee_id, m.entry_id from payee_screenings p
    join screening_matches m on m.org_id = p.org_id and m.environment = p.environment and m.screening_id = p.screening_id
    where p.org_id = ${org_id} and p.environment = ${environment} and p.payee_id = any(${sql.array([...payee_ids], 'text')})
      and m.list_org = ${list_org} and m.list = ${list}`);
  if (matched.length === 0) return [];
  // In a statement of its own: on a cluster the list may be on another node.
  const changed = await tx.anyFirst(sql.type(z.object({ entry_id: z.string() }))`
    select entry_id from screening_list_entries
    where org_id = ${list_org} and list = ${list} and entry_id = any(${columnOf(matched, 'entry_id', 'text')})
      and changed_in > ${from_version}`);
  const entries = new Set(changed);
  return [...new Set(matched.flatMap(({ payee_id, entry_id }) => (entries.has(entry_id) ? [payee_id] : [])))];
}
