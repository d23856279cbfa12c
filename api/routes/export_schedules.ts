import { z } from 'zod';
import { route } from '#api/route.ts';
import {
  ExportSchedule,
  listSchedules,
  NewExportSchedule,
  setSchedule,
} from '#shared/exports/store/export_schedules.ts';
import { ExportKind } from '#shared/exports/store/exports.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { exportReaders, kindsFor, refusal } from './exports.ts';

const params = z.object({
  kind: z
    .string()
    .regex(/^[a-z_]{1,63}$/)
    .meta({ examples: ['events'] }),
});

export const exportSchedules = [
  route({
    method: 'get',
    path: '/v1/export-schedules',
    operation_id: 'listExportSchedules',
    tag: 'Exports',
    summary: 'List the exports by the hour',
    description: 'Those of kinds that the caller may read.',
    access: exportReaders,
    version: { of: ['exports'] },
    query: z.strictObject(pageQuery),
    responses: [[200, 'A page of schedules', PageOf(ExportSchedule).meta({ id: 'ExportSchedulePage' })]],
    handle: ({ query, caller }, { db, config }) => {
      const page = pageRequest(config.secret_key, 'export_schedules', caller, query);
      return listSchedules(db, caller, kindsFor(caller, config.environment), page);
    },
  }),

  route({
    method: 'put',
    path: '/v1/export-schedules/{kind}',
    operation_id: 'setExportSchedule',
    tag: 'Exports',
    summary: 'Export records of a kind by the hour, or pause that',
    description: `Each hour, five minutes after its end, a worker writes the records of a kind that came or changed in it to the storage of the
deployment, under \`date=2026-11-26/hour=17\` of \`folder\`: \`part-0.ndjson.gz\` (or \`.csv.gz\`, \`.parquet\`; more parts where they are many), as the API
answers them then, and \`_manifest.json\` with \`_manifest.jws\`, its signature. An hour without records has a manifest only. Events go by
their place in the log, each into exactly one hour. \`kind\` is one of those of \`POST /v1/exports\`, and who may make an export may set it.`,
    access: { ...exportReaders, session: 'act' },
    changes: ['exports'],
    params,
    body: NewExportSchedule,
    errors: { '422': '`from` is still to come, or not when it began' },
    responses: [[200, 'The schedule', ExportSchedule]],
    handle: async ({ params, body, caller, audit }, { db, config, now }) => {
      const kind = orNotFound('record', ExportKind.safeParse(params.kind).data);
      if (!kindsFor(caller, config.environment).includes(kind)) throw refusal(caller, kind);
      const { before, schedule } = await setSchedule(db, caller, kind, body, caller.actor_id, now());
      audit({
        action: 'export_schedule.changed',
        target_id: kind,
        before: before && setOf(before),
        after: setOf(schedule),
      });
      return schedule;
    },
  }),
];

const setOf = ({ format, state, from }: ExportSchedule) => ({ format, state, from });
