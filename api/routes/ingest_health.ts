import { z } from 'zod';
import { route } from '#api/route.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { pageApiKeys } from '#shared/keys/api_keys.ts';
import { IngestHealth, readIngestHealth } from '#shared/keys/ingest_health.ts';
import { HOUR } from '#shared/values/time.ts';

export const ingestHealth = [
  route({
    method: 'get',
    path: '/v1/ingest-health',
    operation_id: 'getIngestHealth',
    tag: 'API keys',
    summary: 'Read how many events of each key were accepted or rejected, newest key first',
    description:
      'Events accepted, sent before, in conflict, and rejected, with the reasons; requests refused by the rate limit, and how much of it was left. Whole hours, up to some five seconds ago, kept for 31 days.',
    access: { session: 'read' },
    version: { of: 'answer' },
    query: z.strictObject({
      ...pageQuery,
      key_id: Id('key').optional(),
      hours: z
        .string()
        .regex(/^[1-9]\d{0,2}$/, 'must be a whole number from 1 to 744')
        .transform(Number)
        .refine(hours => hours <= 744, 'must be a whole number from 1 to 744')
        .default(24)
        .meta({
          override: { type: 'integer', minimum: 1, maximum: 744, default: 24 },
          description: 'how far back, the current hour included',
        }),
    }),
    responses: [
      [200, 'A page of keys with the outcome of their events', PageOf(IngestHealth).meta({ id: 'IngestHealthPage' })],
    ],
    handle: async ({ query, caller }, { db, config, now }) => {
      const request = pageRequest(config.secret_key, 'ingest_health', caller, query);
      const page = await pageApiKeys(db, caller, query.key_id === undefined ? {} : { ids: [query.key_id] }, request);
      const from = (Math.floor(now() / HOUR) - query.hours + 1) * HOUR;
      return { ...page, data: await readIngestHealth(db, caller, page.data, from) };
    },
  }),
];
