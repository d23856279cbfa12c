import type { MandateSet, StoredVersion } from './mandate_set.ts';
import type { VerifiedReport } from './verify_reports.ts';
import type { Db } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { extendImported, importMandate, signedConstraints } from './mandate_import.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { Constraint } from '#shared/mandates/constraints.ts';
import { describeLimit } from '#shared/mandates/describe.ts';
import { timestamp } from '#shared/values/time.ts';
import { importConstraints, mergeDisclosed } from '#shared/verification/ap2/constraints_import.ts';
import type { OpenMandate } from '#shared/verification/verifier.ts';

/** An event with the open mandates that were found, signed by a trusted issuer, in its evidence. */
export type ShownMandates = { event: ReportedEvent; open_mandates: readonly OpenMandate[] };

/**
 * Imports the open mandates that a trusted issuer signed and that were found in the evidence of these events; each once, for the agent
 * that used it. One that is shown again may disclose more constraints. Adds them to `mandates`. Returns whether anything is new.
 */
export function importMandates(
  tx: Db,
  tenant: Tenant,
  reports: ReadonlyMap<number, ReportedEvent>,
  verified: ReadonlyMap<number, VerifiedReport>,
  mandates: MandateSet,
  now: number,
): Promise<boolean> {
  const shown = [...verified].flatMap(([chain_seq, { open_mandates }]) => {
    const event = reports.get(chain_seq);
    return event ? [{ event, open_mandates }] : [];
  });
  return addShown(tx, tenant, shown, mandates, now, {
    first: ({ agent_id, owner_id }, open_mandate, { imported, originals }) =>
      importMandate(
        tx,
        tenant,
        { agent_id, owner_id, open_mandate, constraints: imported, signed_constraints: originals },
        now,
      ),
    next: ({ id, name }, { imported, originals }) =>
      extendImported(tx, tenant, id, { name, constraints: imported, signed_constraints: originals }, now),
  });
}

/** Adds to `mandates` what importing these would add, and stores nothing: a new one gets a temporary id. */
export const previewImports = (
  db: Db,
  tenant: Tenant,
  shown: readonly ShownMandates[],
  mandates: MandateSet,
  now: number,
): Promise<boolean> =>
  addShown(db, tenant, shown, mandates, now, {
    first: async () => newId('mnd', now),
    next: async ({ version }) => version + 1,
  });

/** The constraints of an open mandate: in our terms, and as they were signed. */
type Terms = ReturnType<typeof importConstraints>;

/** Stores the first version of a mandate and returns its id, or a further version and returns its number. */
type Keep = {
  first(event: ReportedEvent, open_mandate: OpenMandate, terms: Terms): Promise<string>;
  next(latest: { id: string; version: number; name: string }, terms: Terms): Promise<number>;
};

async function addShown(
  db: Db,
  tenant: Tenant,
  shown: readonly ShownMandates[],
  mandates: MandateSet,
  now: number,
  keep: Keep,
): Promise<boolean> {
  const mandate_ids = shown.flatMap(({ event, open_mandates }) =>
    open_mandates.flatMap(({ hash }) => mandates.imported(event.agent_id, hash) ?? []),
  );
  const signed = await signedConstraints(db, tenant, [...new Set(mandate_ids)]);
  let any = false;
  const add = (version: StoredVersion, { originals }: Terms) => {
    signed.set(version.id, originals);
    mandates.add(version);
    any = true;
  };
  for (const { event, open_mandates } of shown)
    for (const open_mandate of open_mandates) {
      const id = mandates.imported(event.agent_id, open_mandate.hash);
      if (id === null) {
        const terms = importConstraints(open_mandate.constraints);
        const named = { ...open_mandate, name: nameOf(open_mandate, terms.imported) };
        const new_id = await keep.first(event, named, terms);
        add(firstVersion(new_id, event.agent_id, named, terms, now), terms);
        continue;
      }
      const merged = mergeDisclosed(signed.get(id) ?? [], open_mandate.constraints);
      const latest = merged && mandates.versionAt(id, now);
      if (!merged || !latest) continue;
      const terms = importConstraints(merged);
      // Unless people have renamed it.
      const is_own = latest.name === nameOf(open_mandate, latest.constraints);
      const name = is_own ? nameOf(open_mandate, terms.imported) : latest.name;
      const version = await keep.next({ ...latest, name }, terms);
      const standing = { book_version: mandates.bookVersion(id), exhausted: mandates.isExhausted(id) };
      add({ ...latest, ...standing, name, version, constraints: terms.imported, began: now }, terms);
    }
  return any;
}

/**
 * By the first of what it allows, and until when: `AP2 mandate: at most $200.00 per payment, until 2026-12-01`; by its issuer where that is not known. What is
 * not in our terms may be anything, and is not put into words.
 */
function nameOf({ name, valid_until }: OpenMandate, constraints: readonly Terms['imported'][number][]): string {
  const ours = constraints.filter(terms => Constraint.safeParse(terms).success);
  const limits = ours.flatMap(terms => describeLimit(terms, { most_items: 2 }) || []).slice(0, 1);
  if (limits.length === 0) return name;
  if (valid_until !== null) limits.push(`until ${timestamp(valid_until).slice(0, 'YYYY-MM-DD'.length)}`);
  return `AP2 mandate: ${limits.join(', ')}`.slice(0, 200).toWellFormed();
}

const firstVersion = (
  id: string,
  agent_id: string,
  { name, hash, valid_until }: OpenMandate,
  { imported }: Terms,
  now: number,
): StoredVersion => ({
  id,
  agent_id,
  version: 1,
  name,
  source: 'ap2',
  external_ref: hash,
  state: 'active',
  valid_from: null,
  valid_until,
  anchor: now,
  human_presence: 'not_required',
  constraints: imported,
  began: now,
  book_version: 0,
  exhausted: false,
});
