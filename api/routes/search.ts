import { z } from 'zod';
import { route } from '#api/route.ts';
import { mayRole } from '#shared/interface/roles.ts';
import { search as find, SearchAnswer } from '#shared/search/search.ts';

export const search = [
  route({
    method: 'get',
    path: '/v1/search',
    operation_id: 'search',
    tag: 'Search',
    summary: 'Search records of every kind',
    description: `Looks for the text as the id of any record, as an amount (\`35.77\`, \`$35\`, \`0.5 USDC\`), a position in the log (\`#1024\`), the last four
digits or the id of a card, an order of \`metadata\` (\`order_id\`, \`order\`, \`order_number\`), a payment, an external id, or part of a name from three characters on.
Names and titles of mandates, cases, alerts and the like are searched in the 500 newest of each kind. A key finds the kinds that it may list.`,
    access: { scopes: ['events:read', 'agents:read', 'alerts:read', 'cases:read', 'packs:write'], session: 'read' },
    version: { of: 'answer' },
    query: z.strictObject({
      q: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .meta({ description: 'what to look for', examples: ['35.77'] }),
    }),
    responses: [[200, 'Results, by kind', SearchAnswer]],
    handle: ({ query, caller }, { db }) =>
      find(db, caller, query.q, ({ scopes, session }) =>
        caller.kind === 'key'
          ? scopes.some(scope => caller.scopes.includes(scope))
          : mayRole(caller.role, session, caller.environment === 'production' ? 'production' : 'sandbox'),
      ),
  }),
];
