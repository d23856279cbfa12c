import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { invalidDetail, invalidRequest, notFound } from '#shared/interface/errors.ts';
import type { AuditEntry } from '#shared/interface/audit_log.ts';
import { DeliveryState, listDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { replayMissed } from '#shared/webhooks/replay_missed.ts';
import { replayDelivery, replaySince } from '#shared/webhooks/webhook_replay.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import { timestamp } from '#shared/values/time.ts';
import { changeAsOperator } from './change.ts';
import { type AdminCommand, need, needId, orgOption, tenantOf } from './command.ts';

export const deliveries: AdminCommand[] = [
  {
    name: 'deliveries list',
    summary: 'List webhook deliveries with their attempts, newest first',
    options: [
      orgOption,
      { flags: '--state <state>', about: `only those that are ${DeliveryState.options.join(', ')}` },
      { flags: '--limit <n>', about: 'maximum number (default 200)' },
    ],
    async run(options, services) {
      const state = DeliveryState.optional().safeParse(options['state']);
      if (!state.success)
        throw invalidDetail('/state', 'invalid_value', `--state takes ${DeliveryState.options.join(', ')}.`);
      const limit = z.coerce.number().int().min(1).max(10_000).default(200).safeParse(options['limit']);
      if (!limit.success)
        throw invalidDetail('/limit', 'invalid_value', '--limit takes a whole number from 1 to 10000.');
      const tenant = await tenantOf(options, services);
      const { data } = await listDeliveries(
        services.db,
        tenant,
        { state: state.data },
        { limit: limit.data, after: null, cursorAfter: () => '' },
      );
      return { data };
    },
  },
  {
    name: 'deliveries replay',
    summary: 'Resend one delivery, the failed deliveries of an endpoint, or all of its deliveries since a time',
    options: [
      { flags: '--id <whd_…>', about: 'one delivery' },
      { flags: '--endpoint <whe_…>', about: 'of an endpoint, with --failed or --since' },
      {
        flags: '--failed',
        about: 'its failed deliveries, in order, up to 20 per second, in the background',
      },
      { flags: '--since <time>', about: 'all of its deliveries since this RFC 3339 time' },
    ],
    async run(options, services) {
      const { db, queue, now } = services;
      if (options['id'] !== undefined) {
        const id = needId(options, 'id', 'whd');
        const tenant = await ownerOf(services, 'webhook_deliveries', id);
        const job = await replayDelivery(db, tenant, id, now());
        await note(services, tenant, { action: 'webhook_delivery.replayed', target_id: id });
        await queue.add('webhook', [job]);
        return { replayed: 1 };
      }
      if (options['endpoint'] === undefined || Boolean(options['failed']) === (options['since'] !== undefined))
        throw invalidRequest(
          'Name what to resend: --id <whd_…>, or --endpoint <whe_…> with either --failed or --since <time>.',
        );
      const endpoint_id = needId(options, 'endpoint', 'whe');
      if (options['failed'])
        return replayMissed(services, await ownerOf(services, 'webhook_endpoints', endpoint_id), endpoint_id, null);
      const since = Date.parse(need(options, 'since'));
      if (Number.isNaN(since))
        throw invalidDetail(
          '/since',
          'invalid_format',
          '--since must be an RFC 3339 time such as 2026-11-20T09:00:00Z.',
        );
      const tenant = await ownerOf(services, 'webhook_endpoints', endpoint_id);
      const { replayed, jobs } = await replaySince(db, tenant, { endpoint_id, since }, now());
      const after = { replayed, since: timestamp(since) };
      await note(services, tenant, { action: 'webhook_endpoint.replayed', target_id: endpoint_id, after });
      await queue.add('webhook', jobs);
      return { replayed };
    },
  },
];

/** Records the replay in the organization's audit log. A replay works in parts, so this comes after it. */
const note = (services: Services, tenant: Tenant, entry: AuditEntry) =>
  changeAsOperator(services, tenant, [], async () => ({ result: null, entries: [entry] }));

/** The organization that a delivery or an endpoint belongs to. Throws `not_found`. */
async function ownerOf(
  { db, config }: Services,
  table: 'webhook_deliveries' | 'webhook_endpoints',
  id: string,
): Promise<Tenant> {
  const org_id = await db.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select o.id from organizations o join ${sql.identifier([table])} r on r.org_id = o.id and r.environment = ${config.environment} and r.id = ${id}`);
  if (!org_id) throw notFound(table === 'webhook_deliveries' ? 'webhook delivery' : 'webhook endpoint');
  return { org_id, environment: config.environment };
}
