/** The scopes of keys, one per line. */
export const scopes = {
  'events:write': 'send events, validate events, register sources',
  'events:read': 'list and read events, including evidence values',
  'agents:read': 'read agents, owners and payees',
  'alerts:read': 'read alerts, incidents and screenings',
  'alerts:write': 'act on alerts and incidents, and review screening matches',
  'cases:read': 'read cases',
  'cases:write': 'create and change cases',
  'packs:write': 'build evidence packs and reports, and share them',
  'screening:write': 'screen a payee on demand',
} as const;

export const allScopes = Object.keys(scopes) as (keyof typeof scopes)[];
