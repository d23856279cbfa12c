import type { MandateSet, StoredVersion } from '#shared/assessment/mandate_set.ts';
import type { VerifiedReport } from '#shared/assessment/verify_reports.ts';
import type { Db } from '#shared/db.ts';
import type { ReportedEvent } from '#shared/resources/events/reported_event.ts';
import { extendImported, importMandate, signedConstraints } from '#shared/resources/mandates/mandate_import.ts';
import type { Tenant } from '#shared/schemas.ts';
import { importConstraints, mergeDisclosed } from '#shared/verification/ap2/constraints_import.ts';
import type { OpenMandate } from '#shared/verification/verifier.ts';

/**
 * Makes mandates of the open mandates that were found, signed by a trusted issuer, in the evidence of these events; each once, for the
 * agent that used it. One that is shown again may disclose more of what it allows. Adds them to `mandates`. Answers whether anything is
 * new.
 */
export async function importMandates(
  tx: Db,
  tenant: Tenant,
  reports: ReadonlyMap<number, ReportedEvent>,
  verified: ReadonlyMap<number, VerifiedReport>,
  mandates: MandateSet,
  now: number,
): Promise<boolean> {
  let any = false;
  for (const [chain_seq, { open_mandates }] of verified) {
    const event = reports.get(chain_seq);
    if (!event) continue;
    for (const open_mandate of open_mandates) {
      const known = mandates.imported(event.agent_id, open_mandate.hash);
      const version = known
        ? await discloseMore(tx, tenant, known, open_mandate, mandates, now)
        : await importNew(tx, tenant, event, open_mandate, now);
      if (!version) continue;
      mandates.add(version);
      any = true;
    }
  }
  return any;
}

async function importNew(
  tx: Db,
  tenant: Tenant,
  { agent_id, owner_id }: ReportedEvent,
  open_mandate: OpenMandate,
  now: number,
): Promise<StoredVersion> {
  const { imported, originals } = importConstraints(open_mandate.constraints);
  const terms = { agent_id, owner_id, open_mandate, constraints: imported, signed_constraints: originals };
  const id = await importMandate(tx, tenant, terms, now);
  return {
    id,
    agent_id,
    version: 1,
    name: open_mandate.name,
    source: 'ap2',
    external_ref: open_mandate.hash,
    state: 'active',
    valid_from: null,
    valid_until: open_mandate.valid_until,
    anchor: now,
    human_presence: 'not_required',
    constraints: imported,
    began: now,
    book_version: 0,
    exhausted: false,
  };
}

async function discloseMore(
  tx: Db,
  tenant: Tenant,
  id: string,
  { constraints }: OpenMandate,
  mandates: MandateSet,
  now: number,
): Promise<StoredVersion | null> {
  const merged = mergeDisclosed(await signedConstraints(tx, tenant, id), constraints);
  const latest = merged && mandates.versionAt(id, now);
  if (!merged || !latest) return null;
  const { imported, originals } = importConstraints(merged);
  const version = await extendImported(tx, tenant, id, { constraints: imported, signed_constraints: originals }, now);
  return {
    ...latest,
    version,
    constraints: imported,
    began: now,
    book_version: mandates.bookVersion(id),
    exhausted: mandates.isExhausted(id),
  };
}
