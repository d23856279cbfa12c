import type { Db } from '#shared/platform/db.ts';
import type { AuditEntry } from '#shared/interface/audit_log.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';
import { readTrustedKeys } from '#shared/keys/trusted_key_input.ts';
import { addTrustedKeys } from '#shared/keys/trusted_keys.ts';
import { createMandate } from '#shared/mandates/store/mandate_changes.ts';
import { createSource } from '#shared/keys/sources.ts';
import { NewMandate } from '#shared/mandates/store/mandate_input.ts';
import { registerAgents } from '#shared/events/parties/agents.ts';
import { registerOwners } from '#shared/events/parties/owners.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import { timestamp } from '#shared/values/time.ts';
import type { Topic } from '#shared/interface/versions.ts';
import { changeAsOperator } from '#bin/admin/change.ts';
import type { PlannedMandate } from './mandates.ts';
import type { PublicEcKey } from '#bin/demo/proofs/keys.ts';
import type { PlannedSource } from './sources.ts';
import type { DemoAgent } from './agent.ts';

/** What has to be known before the events: mandates, the key of whoever signs AP2 mandates for the owners, and further sources. */
export type Agreed = {
  mandates: PlannedMandate[];
  sources: PlannedSource[];
  issuer: { name: string; kid: string; jwk: PublicEcKey };
};

/**
 * Does what an operator would with `admin trusted-key add` and `admin mandate create`, and `POST /v1/sources`. The agents are registered
 * by their own ids, as their first events would do. Returns the id that each planned mandate and source has now.
 */
export function agree(
  services: Services,
  tenant: Tenant,
  { mandates, sources, issuer }: Agreed,
): Promise<Map<string, string>> {
  return changeAsOperator(services, tenant, TOPICS, async (tx, now) => {
    const keys = await readTrustedKeys({ use: 'ap2_issuer', issuer: issuer.name, kid: issuer.kid, jwk: issuer.jwk });
    const [key] = await addTrustedKeys(tx, tenant, keys, null, now);
    const agents = await idsOf(tx, tenant, [...new Set(mandates.map(({ agent }) => agent))], now);
    const entries: AuditEntry[] = [{ action: 'trusted_key.added', target_id: issuer.kid, after: key }];
    const ids = new Map<string, string>();
    for (const planned of mandates) {
      const mandate = await createMandate(tx, tenant, termsOf(planned, agents.get(planned.agent) ?? ''), null, now);
      entries.push({ action: 'mandate.created', target_id: mandate.id, after: mandate });
      ids.set(planned.id, mandate.id);
    }
    for (const { id, ...planned } of sources) {
      const source = await createSource(tx, tenant, planned, now);
      entries.push({ action: 'source.created', target_id: source.id, after: source });
      ids.set(id, source.id);
    }
    return { result: ids, entries };
  });
}

const TOPICS: Topic[] = ['agents', 'mandates', 'owners', 'sources', 'trusted_keys'];

/** The events, with the ids that their mandates and sources have. Events that name none stay as they are. */
export const withIds = (events: readonly EventInput[], ids: ReadonlyMap<string, string>): EventInput[] =>
  events.map(event => {
    const mandate_id = ids.get(event.mandate_id ?? '');
    const source_id = ids.get(event.source_id ?? '');
    if (mandate_id === undefined && source_id === undefined) return event;
    return { ...event, ...(mandate_id !== undefined && { mandate_id }), ...(source_id !== undefined && { source_id }) };
  });

const termsOf = ({ name, valid_from, valid_until, constraints }: PlannedMandate, agent_id: string): NewMandate =>
  NewMandate.parse({
    agent_id,
    name,
    ...(valid_from !== undefined && { valid_from: timestamp(valid_from) }),
    ...(valid_until !== undefined && { valid_until: timestamp(valid_until) }),
    constraints,
  });

/** Registers agents and their owners as their events describe them. */
async function idsOf(
  tx: Db,
  tenant: Tenant,
  agents: readonly DemoAgent[],
  now: number,
): Promise<Map<DemoAgent, string>> {
  const owners = byExternalId([...new Set(agents.map(({ owner }) => owner))]);
  const ownerRefs = owners.map(({ external_id, name, country }) => ({ external_id, name, country }));
  const ownerIds = idByExternalId(await registerOwners(tx, tenant, ownerRefs, now));
  const agentRefs = byExternalId(agents).map(({ external_id, name, framework, model, owner }) => {
    const owner_id = ownerIds.get(owner.external_id) ?? '';
    return { external_id, name, framework, model, owner_id };
  });
  const agentIds = idByExternalId(await registerAgents(tx, tenant, agentRefs, now));
  return new Map(agents.map(agent => [agent, agentIds.get(agent.external_id) ?? '']));
}

const byExternalId = <T extends { external_id: string }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => (a.external_id < b.external_id ? -1 : 1));

const idByExternalId = ({ registered }: { registered: readonly { id: string; external_id: string | null }[] }) =>
  new Map(registered.map(({ id, external_id }) => [external_id, id]));
