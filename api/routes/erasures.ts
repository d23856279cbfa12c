import { z } from 'zod';
import { reply, route } from '#api/route.ts';
import { countErasure } from '#shared/erasure/count_erasure.ts';
import {
  createErasure,
  Erasure,
  ErasureCounts,
  findErasure,
  listErasures,
  NewErasure,
  subjectOf,
} from '#shared/erasure/erasures.ts';
import { needFree } from '#shared/erasure/holds.ts';
import { beginErasure, erasureTopics } from '#shared/erasure/run_erasure.ts';
import { needSubject } from '#shared/erasure/subject_events.ts';
import { recordAudit } from '#shared/interface/audit_log.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';

const DryRun = ErasureCounts.extend({ id: z.null().meta({ examples: [null] }) }).meta({ id: 'ErasureDryRun' });

export const erasures = [
  route({
    method: 'get',
    path: '/v1/erasures',
    operation_id: 'listErasures',
    tag: 'Erasures',
    summary: 'List erasures, newest first',
    access: { session: 'erase' },
    version: { of: ['erasures'] },
    query: z.strictObject(pageQuery),
    responses: [[200, 'A page of erasures', PageOf(Erasure).meta({ id: 'ErasurePage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listErasures(db, caller, pageRequest(config.secret_key, 'erasures', caller, query)),
  }),

  route({
    method: 'post',
    path: '/v1/erasures',
    operation_id: 'createErasure',
    tag: 'Erasures',
    summary: 'Erase the data of a person',
    description: `Values and names go from events, evidence, records, searches, alerts, cases, screenings, the audit log, packs and exports, but not
from exports by the hour, which a warehouse has; hashes and ids stay. The log verifies before and after, and tells how many of its events are erased. It cannot be undone. What takes longer than a
moment is \`running\` in the answer, and a worker goes on: \`GET /v1/erasures\` says how far it is. With \`dry_run\` it is only counted.`,
    access: { session: 'erase' },
    changes: erasureTopics,
    limit: 'pack',
    body: NewErasure,
    errors: {
      '404': 'There is nothing of this id',
      '409': 'It is needed by a case that is on hold, or events of it are in archives; a dry run is refused, too',
    },
    responses: [
      [201, 'The erasure', Erasure],
      [200, 'What it would take away, of a dry run', DryRun],
    ],
    handle: async ({ body, caller, request, afterCommit }, { db, config, queue, now }) => {
      const { ground, dry_run, ...input } = body;
      const subject = subjectOf(input);
      await needSubject(db, caller, subject);
      await needFree(db, caller, subject);
      if (dry_run) return reply(200, { id: null, ...(await countErasure(db, caller, subject)) });
      const { id } = await createErasure(db, caller, subject, { ground, requested_by: caller.actor_id, now: now() });
      // Recorded first, so that it comes before the record of its end.
      const entry = { action: 'erasure.requested' as const, target_id: id, after: { subject, ground } };
      await recordAudit(db, caller, { actor_id: caller.actor_id, request_id: request.id }, [entry], now());
      const { org_id, environment } = caller;
      if (!(await beginErasure({ config, db, now }, caller, id)))
        afterCommit(() => queue.add('erasure', [{ org_id, environment, erasure_id: id }]));
      return findErasure(db, caller, id);
    },
  }),
];
