import type { FragmentSqlToken } from 'slonik';
import { sql } from '#shared/platform/db.ts';
import type { Permission } from '#shared/interface/roles.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Scope } from '#shared/keys/api_keys.ts';
import { exportAccess } from '#shared/keys/export_access.ts';
import type { SearchQuery } from './query.ts';
import { findEvents } from './find_events.ts';
import { findAgents, findOwners, findPayees } from './find_parties.ts';
import { findRecords, type RecordSearch } from './find_records.ts';
import type { SearchKind } from './found.ts';

/** Who may search for a kind: a key with one of the scopes, a person with the permission; the same as for its list. */
export type SearchAccess = { scopes: readonly Scope[]; session: Permission };

/** Whether the caller has this access. */
type May = (access: SearchAccess) => boolean;

/** The query of a kind, bounded and by index only. Null when the text cannot match. */
type Find = (asked: SearchQuery, tenant: Tenant, may: May) => FragmentSqlToken | null;

const alertsRead: SearchAccess = { scopes: ['alerts:read'], session: 'read' };
const agentsRead: SearchAccess = { scopes: ['agents:read'], session: 'read' };

const records =
  (search: RecordSearch): Find =>
  (query, tenant) =>
    findRecords(query, tenant, search);

const none = sql.fragment`null`;
const createdAt = sql.fragment`created_at`;
const state = sql.fragment`state`;
const title = sql.fragment`title`;
const name = sql.fragment`name`;

/** The kinds to search, one line each: who may search them, and how. */
export const kindSearches: Record<SearchKind, SearchAccess & { find: Find }> = {
  event: { scopes: ['events:read'], session: 'read', find: findEvents },
  agent: { ...agentsRead, find: findAgents },
  payee: { ...agentsRead, find: findPayees },
  owner: { ...agentsRead, find: findOwners },
  incident: {
    ...alertsRead,
    find: records({
      kind: 'incident',
      prefix: 'inc',
      from: sql.fragment`incidents`,
      title: sql.fragment`lead_title`,
      detail: sql.fragment`severity`,
      state,
      at: createdAt,
      text: sql.fragment`lead_title`,
      // As its index has it, which begins with the state.
      also: ({ usd_cents }) =>
        usd_cents === null
          ? null
          : sql.fragment`state in ('open', 'closed') and coalesce(div(amount_usd_micro + 5000, 10000), -1) = ${usd_cents}::numeric`,
      ours: ({ org_id, environment }) =>
        sql.fragment`org_id = ${org_id} and environment = ${environment} and merged_into is null`,
    }),
  },
  alert: {
    ...alertsRead,
    find: records({
      kind: 'alert',
      prefix: 'alr',
      from: sql.fragment`alerts`,
      title,
      detail: sql.fragment`severity`,
      state,
      at: createdAt,
      text: title,
    }),
  },
  case: {
    scopes: ['cases:read'],
    session: 'read',
    find: records({
      kind: 'case',
      prefix: 'cas',
      from: sql.fragment`cases`,
      title,
      detail: sql.fragment`priority`,
      state: sql.fragment`status`,
      at: createdAt,
      text: title,
    }),
  },
  mandate: {
    ...agentsRead,
    find: records({
      kind: 'mandate',
      prefix: 'mnd',
      from: sql.fragment`mandates`,
      title: name,
      detail: sql.fragment`external_ref`,
      state,
      at: createdAt,
      text: sql.fragment`name || ' ' || coalesce(external_ref, '')`,
    }),
  },
  screening: {
    ...alertsRead,
    find: records({
      kind: 'screening',
      prefix: 'scr',
      from: sql.fragment`screenings`,
      title: sql.fragment`coalesce(query ->> 'name', query ->> 'key', id)`,
      detail: sql.fragment`payee_id`,
      state,
      at: createdAt,
      text: sql.fragment`coalesce(query ->> 'name', '')`,
    }),
  },
  pack: {
    scopes: ['packs:write'],
    session: 'read',
    find: records({
      kind: 'pack',
      prefix: 'pck',
      from: sql.fragment`packs`,
      title: sql.fragment`coalesce(title, kind)`,
      detail: sql.fragment`kind`,
      state,
      at: createdAt,
      text: sql.fragment`coalesce(title, kind)`,
    }),
  },
  source: {
    scopes: ['events:read', 'events:write'],
    session: 'read',
    find: records({
      kind: 'source',
      prefix: 'src',
      from: sql.fragment`sources`,
      title: name,
      detail: sql.fragment`kind`,
      state,
      at: createdAt,
      text: name,
    }),
  },
  api_key: {
    scopes: [],
    session: 'read',
    find: records({
      kind: 'api_key',
      prefix: 'key',
      from: sql.fragment`api_keys`,
      title: name,
      detail: sql.fragment`prefix`,
      state: sql.fragment`case when revoked_at is null then 'active' else 'revoked' end`,
      at: createdAt,
      text: sql.fragment`name || ' ' || prefix`,
      ours: ({ org_id, environment }) =>
        sql.fragment`org_id = ${org_id} and env = ${environment === 'production' ? 'live' : 'test'}`,
    }),
  },
  trusted_key: {
    scopes: [],
    session: 'administer',
    find: records({
      kind: 'trusted_key',
      prefix: 'tky',
      from: sql.fragment`trusted_keys`,
      title: sql.fragment`kid`,
      detail: sql.fragment`issuer`,
      state: sql.fragment`case when revoked_at is null then 'active' else 'revoked' end`,
      at: createdAt,
      text: sql.fragment`kid || ' ' || coalesce(issuer, '')`,
    }),
  },
  webhook_endpoint: {
    ...alertsRead,
    find: records({
      kind: 'webhook_endpoint',
      prefix: 'whe',
      from: sql.fragment`webhook_endpoints`,
      title: sql.fragment`url`,
      detail: none,
      state,
      at: createdAt,
      text: sql.fragment`url`,
    }),
  },
  webhook_delivery: {
    ...alertsRead,
    find: records({
      kind: 'webhook_delivery',
      prefix: 'whd',
      from: sql.fragment`webhook_deliveries`,
      title: sql.fragment`type`,
      detail: sql.fragment`endpoint_id`,
      state,
      at: createdAt,
      text: null,
    }),
  },
  backtest: {
    ...alertsRead,
    find: records({
      kind: 'backtest',
      prefix: 'bkt',
      from: sql.fragment`backtests`,
      title: sql.fragment`detector`,
      detail: none,
      state,
      at: createdAt,
      text: null,
    }),
  },
  export: {
    scopes: ['events:read', 'alerts:read', 'cases:read'],
    session: 'read',
    find: (query, tenant, may) => {
      const kinds = Object.entries(exportAccess).flatMap(([kind, access]) => (may(access) ? [kind] : []));
      return findRecords(query, tenant, {
        kind: 'export',
        prefix: 'exp',
        from: sql.fragment`exports`,
        title: sql.fragment`kind`,
        detail: sql.fragment`format`,
        state,
        at: createdAt,
        text: null,
        ours: ({ org_id, environment }) =>
          sql.fragment`org_id = ${org_id} and environment = ${environment} and kind = any(${sql.array(kinds, 'text')})`,
      });
    },
  },
  member: {
    scopes: ['cases:write'],
    session: 'read',
    find: (query, tenant, may) =>
      findRecords(query, tenant, {
        kind: 'member',
        prefix: 'usr',
        from: sql.fragment`members m join users u on u.id = m.user_id`,
        id: sql.fragment`m.user_id`,
        title: sql.fragment`coalesce(u.name, u.email)`,
        detail: sql.fragment`u.email`,
        state: may({ scopes: [], session: 'administer' }) ? sql.fragment`m.role` : none,
        at: sql.fragment`m.created_at`,
        text: sql.fragment`coalesce(u.name, '') || ' ' || u.email`,
        ours: ({ org_id }) => sql.fragment`m.org_id = ${org_id}`,
      }),
  },
};
