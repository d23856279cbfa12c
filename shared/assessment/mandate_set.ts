import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { NamedMandate } from './verdict.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { Milliseconds } from '#shared/events/ranges/load.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { HumanPresence } from '#shared/mandates/store/mandates.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** The mandates that the payments of a range may be checked against, in every version that was in force. */
export type MandateSet = {
  /**
   * The mandates a payment at a time is checked against: the one its event names, else those signed in its evidence (by hash) and every
   * native one of its agent that is active then. Null: it names one that does not exist.
   */
  select(event: ReportedEvent, at: number, signed_hashes: readonly string[]): NamedMandate[] | null;
  /** The mandate as it was at a time: before its first version, the first. */
  versionAt(id: string, at: number): NamedMandate | null;
  /** The versions that payments at a time or later may be checked against. */
  versionsFrom(id: string, at: number): readonly NamedMandate[];
  /** Whether payments at a time are checked against it without naming it. */
  isActive(id: string, at: number): boolean;
  /** The imported mandate of an agent with this hash. */
  imported(agent_id: string, hash: string): string | null;
  add(version: StoredVersion): void;
  /** Whether the agent has any. */
  concerns(agent_id: string): boolean;
  /** Whether one of them, in any version, asks for the approval of a person. */
  asksApproval(agent_id: string): boolean;
  /** Whether it shows as used up. */
  isExhausted(id: string): boolean;
  /** Moves when payments under the mandate were changed by other than the consumer of the log. */
  bookVersion(id: string): number;
};

/** `exhausted` is how the mandate shows now, whatever the version. */
export type StoredVersion = NamedMandate & { began: number; book_version: number; exhausted: boolean };

/** Loads the mandates of these agents, and those that events name, as they were at `earliest` and since. */
export async function loadMandates(
  tx: Db,
  tenant: Tenant,
  { agent_ids, mandate_ids, earliest }: { agent_ids: string[]; mandate_ids: string[]; earliest: number },
): Promise<MandateSet> {
  const { org_id, environment } = tenant;
  const versions = await tx.any(sql.type(VersionRow)`
    select m.id, m.agent_id, m.source, m.book_version, m.state = 'exhausted' as exhausted, v.version, v.created_at as began
    from mandates m
    join mandate_versions v on v.org_id = m.org_id and v.environment = m.environment and v.mandate_id = m.id
      and v.version >= coalesce((
        select max(w.version) from mandate_versions w
        where w.org_id = m.org_id and w.environment = m.environment and w.mandate_id = m.id and w.created_at <= ${timestamp(earliest)}), 1)
    where m.org_id = ${org_id} and m.environment = ${environment}
      and (m.agent_id = any(${sql.array(agent_ids, 'text')}) or m.id = any(${sql.array(mandate_ids, 'text')}))
    order by m.id, v.version`);
  const terms = await loadTerms(tx, tenant, versions);
  return mandateSet(
    versions.flatMap(version => {
      const stored = terms.get(keyOf(tenant, version));
      return stored ? [{ ...version, ...stored }] : [];
    }),
  );
}

/** A version never changes, and what is compiled from its constraints is kept with them. */
const knownTerms = new LRUCache<string, z.infer<typeof TermsRow>>({
  maxSize: 32 * 1_024 ** 2,
  sizeCalculation: ({ constraints }) => 512 + JSON.stringify(constraints).length,
});

const keyOf = ({ org_id, environment }: Tenant, { id, version }: { id: string; version: number }) =>
  `${org_id} ${environment} ${id} ${version}`;

async function loadTerms(tx: Db, tenant: Tenant, versions: readonly { id: string; version: number }[]) {
  const { org_id, environment } = tenant;
  const terms = new Map<string, z.infer<typeof TermsRow>>();
  const missing: (string | number)[][] = [];
  for (const version of versions) {
    const cached = knownTerms.get(keyOf(tenant, version));
    if (cached) terms.set(keyOf(tenant, version), cached);
    else missing.push([version.id, version.version]);
  }
  if (missing.length === 0) return terms;
  const rows = await tx.any(sql.type(TermsRow)`
    select v.mandate_id as id, v.version, v.name, v.state, v.valid_from, v.valid_until, v.human_presence, v.constraints, v.external_ref,
      coalesce(v.valid_from, m.created_at) as anchor
    from ${sql.unnest(missing, ['text', 'int4'])} as r (id, version)
    join mandate_versions v on v.org_id = ${org_id} and v.environment = ${environment} and v.mandate_id = r.id and v.version = r.version
    join mandates m on m.org_id = v.org_id and m.environment = v.environment and m.id = v.mandate_id`);
  for (const row of rows) {
    knownTerms.set(keyOf(tenant, row), row);
    terms.set(keyOf(tenant, row), row);
  }
  return terms;
}

const AnyRow = z.object({ any: z.boolean() });

/** Whether the tenant has any mandate at all: most work is saved where it has none. */
export const hasMandates = (tx: Db, { org_id, environment }: Tenant): Promise<boolean> =>
  tx.oneFirst(sql.type(AnyRow)`
    select exists (select from mandates where org_id = ${org_id} and environment = ${environment}) as any`);

export const noMandates = (): MandateSet => mandateSet([]);

function mandateSet(stored: StoredVersion[]): MandateSet {
  const versions = new Map<string, StoredVersion[]>();
  const byAgent = new Map<string, Set<string>>();
  const imports = new Map<string, string>();
  const add = (version: StoredVersion) => {
    const list = versions.get(version.id) ?? [];
    list.push(version);
    versions.set(version.id, list);
    const ids = byAgent.get(version.agent_id) ?? new Set();
    ids.add(version.id);
    byAgent.set(version.agent_id, ids);
    if (version.source === 'ap2') imports.set(`${version.agent_id} ${version.external_ref}`, version.id);
  };
  stored.forEach(add);
  const versionAt = (id: string, at: number) => {
    const list = versions.get(id);
    const version = list?.findLast(candidate => candidate.began <= at) ?? list?.[0];
    const latest = list?.at(-1);
    if (!version || !latest) return null;
    // Signed constraints apply from the beginning, whenever they were disclosed; only the state changes with time.
    return version.source === 'ap2' ? { ...latest, state: version.state } : version;
  };
  return {
    add,
    versionAt,
    versionsFrom(id, at) {
      const list = versions.get(id) ?? [];
      return list.slice(
        Math.max(
          0,
          list.findLastIndex(version => version.began <= at),
        ),
      );
    },
    isActive(id, at) {
      const version = versionAt(id, at);
      return version !== null && isActive(version, at);
    },
    concerns: agent_id => byAgent.has(agent_id),
    asksApproval: agent_id => [...(byAgent.get(agent_id) ?? [])].some(id => versions.get(id)?.some(asksApproval)),
    imported: (agent_id, hash) => imports.get(`${agent_id} ${hash}`) ?? null,
    isExhausted: id => versions.get(id)?.[0]?.exhausted ?? false,
    bookVersion: id => versions.get(id)?.[0]?.book_version ?? 0,
    select({ mandate_id, agent_id }, at, signed_hashes) {
      if (mandate_id !== null) {
        const version = versionAt(mandate_id, at);
        return version && [version];
      }
      const signed = new Set(signed_hashes.map(hash => imports.get(`${agent_id} ${hash}`)));
      return [...(byAgent.get(agent_id) ?? [])].flatMap(id => {
        const mandate = versionAt(id, at);
        if (!mandate) return [];
        return (mandate.source === 'ap2' ? signed.has(id) : isActive(mandate, at)) ? [mandate] : [];
      });
    },
  };
}

/** An exhausted mandate is in force: further payments break its budget. */
const isActive = ({ state, valid_from, valid_until }: NamedMandate, at: number) =>
  (state === 'active' || state === 'exhausted') &&
  (valid_from === null || valid_from <= at) &&
  (valid_until === null || at < valid_until);

/** Whether a mandate asks for the approval of a person. */
export const asksApproval = ({ human_presence, constraints }: NamedMandate) =>
  human_presence === 'required' || constraints.some(({ type }) => type === 'payment.approval_required');

const VersionRow = z.object({
  id: z.string(),
  agent_id: z.string(),
  source: z.enum(['native', 'ap2']),
  book_version: z.number(),
  exhausted: z.boolean(),
  version: z.number(),
  began: Milliseconds,
});
const TermsRow = z.object({
  id: z.string(),
  version: z.number(),
  name: z.string(),
  state: z.enum(['active', 'paused', 'revoked', 'exhausted']),
  valid_from: Milliseconds.nullable(),
  valid_until: Milliseconds.nullable(),
  human_presence: HumanPresence,
  constraints: z.array(z.looseObject({ type: z.string() })),
  external_ref: z.string().nullable(),
  anchor: Milliseconds,
});
