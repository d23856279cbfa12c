import type { Permission } from '#shared/interface/roles.ts';
import type { Scope } from './api_keys.ts';

type Access = { scopes: readonly Scope[]; session: Permission };

/** Who may read the records of a kind one by one, may have them as a file: keys with one of the scopes, people with the permission. */
export const exportAccess: Record<'events' | 'alerts' | 'cases' | 'screenings' | 'audit', Access> = {
  events: { scopes: ['events:read'], session: 'read' },
  alerts: { scopes: ['alerts:read'], session: 'read' },
  cases: { scopes: ['cases:read'], session: 'read' },
  screenings: { scopes: ['alerts:read'], session: 'read' },
  audit: { scopes: [], session: 'administer' },
};
