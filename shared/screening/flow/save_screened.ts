import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { loadConfirmed, withConfirmed } from './confirmed_matches.ts';
import { decideOutcome, type FoundMatch, type Latest, type ScreeningOutcome } from './outcome.ts';
import { type PayeeRow, saveFailures, saveOutcomes } from './screened_payees.ts';
import { entryNamesOf, pairKey } from '#shared/screening/store/screening_entries.ts';
import { matchesOf, saveMatches } from '#shared/screening/store/screening_matches.ts';
import type { Remembered } from '#shared/screening/store/screening_pairs.ts';
import { Subject, subjectNames, subjectOfPayee } from '#shared/screening/store/screening_query.ts';
import {
  type Circumstances,
  insertScreenings,
  noteLists,
  updateScreenings,
  type WrittenScreening,
} from '#shared/screening/store/screening_writes.ts';
import type { Screening } from '#shared/screening/store/screenings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { MINUTE, SECOND } from '#shared/values/time.ts';

/** A screened payee with its result; null: screening failed. */
export type LookedAtPayee = {
  payee: PayeeRow;
  result: { matches: readonly Omit<FoundMatch, 'entry_names'>[]; allowed_by: Screening['allowed_by'] } | null;
};

/** A payee before its screening, the screening that is current for it now, and its outcome. */
export type SavedLook = {
  payee: PayeeRow;
  screening_id: string;
  outcome: ScreeningOutcome;
};

/** How the payees were screened. `asked`: through the API. */
type SaveOptions = Circumstances & { pairs: Remembered; asked?: boolean };

const FAILED = 'The payee could not be screened; it is tried again.';
const FIRST_WAIT = 10 * SECOND;
const LONGEST_WAIT = 60 * MINUTE;

/**
 * Stores the results of screening payees, whose rows the caller holds: screenings, matches, and the state of each payee, in a few
 * statements however many there are. A failure is recorded and due again after 10 s, 20 s, 40 s … an hour; until then a payee that matched
 * before still counts as matching. Returns the new state of the others.
 */
export async function saveScreened(
  tx: Db,
  tenant: Tenant,
  looked: readonly LookedAtPayee[],
  options: SaveOptions,
): Promise<SavedLook[]> {
  const latest = await loadLatest(tx, tenant, looked);
  const entryNames = await entryNamesOf(
    tx,
    looked.flatMap(({ result }) => result?.matches ?? []),
  );
  const confirmed = await loadConfirmed(tx, tenant, options.pairs);
  const saved: SavedLook[] = [];
  const failed: PayeeRow[] = [];
  for (const { payee, result } of looked) {
    if (!result) {
      failed.push(payee);
      continue;
    }
    const before = latest.get(payee.id) ?? null;
    const outcome = decideOutcome({
      subject: subjectOfPayee(payee),
      matches: withConfirmed(
        result.matches.map(match => ({ ...match, entry_names: entryNames.get(pairKey(match)) ?? '' })),
        confirmed.get(payee.id),
      ),
      names: subjectNames(payee),
      pairs: options.pairs.get(payee.id) ?? new Map(),
      latest: before,
      ...(options.asked && { asked: true }),
      now: options.now,
    });
    const screening_id = before && outcome.record !== 'make' ? before.id : newId('scr', options.now);
    saved.push({ payee, screening_id, outcome });
  }
  await writeRecords(tx, tenant, saved, allowances(looked), options);
  await saveOutcomes(tx, tenant, saved.filter(hasMoved).map(outcomeOf));
  await saveFailed(tx, tenant, failed, latest, options);
  return saved;
}

const LatestRow = z.object({ id: z.string(), payee_id: z.string(), state: z.string(), query: Subject });

/** The latest screenings of payees, by payee. */
async function loadLatest(
  db: Db,
  tenant: Tenant,
  looked: readonly { payee: PayeeRow }[],
): Promise<Map<string, Latest>> {
  const ids = looked.flatMap(({ payee }) => payee.screening_id ?? []);
  if (ids.length === 0) return new Map();
  const rows = await db.any(sql.type(LatestRow)`
    select id, payee_id, state, query from screenings
    where org_id = ${tenant.org_id} and environment = ${tenant.environment} and id = any(${sql.array(ids, 'text')})`);
  const matching = rows.filter(({ state }) => state !== 'clear').map(({ id }) => id);
  const matches = await matchesOf(db, tenant, matching);
  return new Map(
    rows.map(({ payee_id, ...row }): [string, Latest] => [
      payee_id,
      { ...row, matches: matches.get(row.id) ?? new Map() },
    ]),
  );
}

const allowances = (looked: readonly LookedAtPayee[]) =>
  new Map(looked.map(({ payee, result }) => [payee.id, result?.allowed_by ?? null]));

async function writeRecords(
  tx: Db,
  tenant: Tenant,
  saved: readonly SavedLook[],
  allowed: ReadonlyMap<string, Screening['allowed_by']>,
  options: SaveOptions,
): Promise<void> {
  const written = (record: ScreeningOutcome['record']) => saved.filter(({ outcome }) => outcome.record === record);
  const row = ({ payee, screening_id, outcome }: SavedLook): WrittenScreening => ({
    id: screening_id,
    payee_id: payee.id,
    subject: subjectOfPayee(payee),
    state: outcome.state,
    score: outcome.score,
    allowed_by: allowed.get(payee.id) ?? null,
    error: null,
  });
  const [created, changed] = [written('make'), written('change')];
  await insertScreenings(tx, tenant, created.map(row), options);
  await updateScreenings(tx, tenant, changed.map(row), options);
  await noteLists(
    tx,
    tenant,
    written('keep').map(({ screening_id }) => screening_id),
    options.lists,
  );
  await saveMatches(
    tx,
    tenant,
    [...created, ...changed].map(({ screening_id, outcome }) => ({ id: screening_id, matches: outcome.matches })),
    changed.map(({ screening_id }) => screening_id),
  );
}

/** Whether anything in the payee's own row has changed. */
const hasMoved = ({ payee, screening_id, outcome }: SavedLook): boolean =>
  payee.is_due ||
  payee.screening_id !== screening_id ||
  payee.screening_state !== outcome.payee.state ||
  outcome.record !== 'keep';

const outcomeOf = ({ payee, screening_id, outcome }: SavedLook) => ({
  id: payee.id,
  screening_id,
  ...outcome.payee,
});

/** A payee's first failure makes a new record; another one does not, nor does that of a payee that is to be reviewed. */
async function saveFailed(
  tx: Db,
  tenant: Tenant,
  failed: readonly PayeeRow[],
  latest: ReadonlyMap<string, Latest>,
  options: SaveOptions,
): Promise<void> {
  if (failed.length === 0) return;
  const rows = failed.map(payee => {
    const before = latest.get(payee.id);
    const isOpen = before?.state === 'error' || before?.state === 'potential_match';
    const isFlagged = payee.screening_state === 'potential_match' || payee.screening_state === 'confirmed_match';
    return {
      payee,
      is_new: !isOpen,
      screening_id: before && isOpen ? before.id : newId('scr', options.now),
      state: isFlagged ? payee.screening_state : 'error',
    };
  });
  await insertScreenings(
    tx,
    tenant,
    rows
      .filter(({ is_new }) => is_new)
      .map(({ payee, screening_id }) => ({
        id: screening_id,
        payee_id: payee.id,
        subject: subjectOfPayee(payee),
        state: 'error',
        score: 0,
        allowed_by: null,
        error: FAILED,
      })),
    options,
  );
  await saveFailures(
    tx,
    tenant,
    rows.map(({ payee, screening_id, state }) => ({
      id: payee.id,
      screening_id,
      state,
      next_at: options.now + Math.min(FIRST_WAIT * 2 ** payee.screening_attempts, LONGEST_WAIT),
    })),
  );
}
