import { z } from 'zod';
import { route } from '#api/route.ts';
import { Bucket, readStats, Stats } from '#shared/events/parties/stats.ts';
import { TimeFilter } from '#shared/interface/schemas.ts';
import { HOUR } from '#shared/values/time.ts';

export const stats = [
  route({
    method: 'get',
    path: '/v1/stats',
    operation_id: 'getStats',
    tag: 'Statistics',
    summary: 'Read activity by hour or by day',
    description: 'At most 1,000 hours or days (UTC), in whole ones.',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['alerts', 'analysis'], every: HOUR },
    query: z.strictObject({
      from: TimeFilter.optional().meta({
        description: 'from the hour or day that holds this time on; by default 48 hours or 30 days before `to`',
      }),
      to: TimeFilter.optional().meta({ description: 'before this time, in whole hours or days; by default now' }),
      bucket: Bucket.default('day'),
    }),
    responses: [[200, 'A row an hour or day, oldest first', Stats]],
    handle: ({ query, caller }, { db, now }) => readStats(db, caller, query, now()),
  }),
];
