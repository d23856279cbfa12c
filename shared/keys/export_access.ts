import type { Permission } from '#shared/interface/roles.ts';
import type { Scope } from './api_keys.ts';

type Access = { scopes: readonly Scope[]; session: Permission };

/**
 * Access to exports by kind: whoever may read the records one by one may export them; keys with one of the scopes, people with the
 * permission.
 */
export const exportAccess: Record<'events' | 'alerts' | 'cases' | 'screenings' | 'audit', Access> = {
  events: { scopes: ['events:read'], session: 'read' },
  alerts: { scopes: ['alerts:read'], session: 'read' },
  cases: { scopes: ['cases:read'], session: 'read' },
  screenings: { scopes: ['alerts:read'], session: 'read' },
  audit: { scopes: [], session: 'administer' },
};
