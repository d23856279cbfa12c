import { z } from 'zod';
import { route } from '#api/route.ts';
import { forgetLesson } from '#shared/casework/lessons.ts';
import { Lesson } from '#shared/casework/lesson.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import {
  detectorNamed,
  DetectorRecord,
  DetectorSettings,
  findDetector,
  listDetectors,
  setDetector,
} from '#shared/detection/settings/detector_records.ts';
import { DetectorQuality, readQuality } from '#shared/detection/settings/quality.ts';
import { listShadowFindings, ShadowFinding } from '#shared/detection/settings/shadow_findings.ts';
import { TimeFilter } from '#shared/interface/schemas.ts';
import { HOUR } from '#shared/values/time.ts';

/** A detector by its name as in the list; any other name is not found. */
export const detectorParams = z.object({
  name: z
    .string()
    .regex(/^[a-z][a-z_]{0,63}$/)
    .meta({ examples: ['velocity_count'] }),
});

export const detectors = [
  route({
    method: 'get',
    path: '/v1/detectors',
    operation_id: 'listDetectors',
    tag: 'Detectors',
    summary: 'List detectors with their settings',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['detectors', 'analysis'] },
    query: z.strictObject(pageQuery),
    responses: [[200, 'A page of detectors', PageOf(DetectorRecord).meta({ id: 'DetectorPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listDetectors(db, caller, pageRequest(config.secret_key, 'detectors', caller, query)),
  }),

  route({
    method: 'get',
    path: '/v1/detectors/{name}',
    operation_id: 'getDetector',
    tag: 'Detectors',
    summary: 'Read one detector',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['detectors', 'analysis'] },
    params: detectorParams,
    responses: [[200, 'The detector', DetectorRecord]],
    handle: ({ params, caller }, { db }) => findDetector(db, caller, params.name),
  }),

  route({
    method: 'put',
    path: '/v1/detectors/{name}',
    operation_id: 'setDetector',
    tag: 'Detectors',
    summary: 'Replace the settings of a detector',
    description: `What is left out takes its default, parameters too; \`params_schema\` of the detector says what there is to set.
The settings hold from the next events on. In shadow a detector raises no alert: what it finds can be read under its findings, and so can
what is below \`severity_floor\`.`,
    access: { session: 'configure' },
    changes: ['detectors'],
    params: detectorParams,
    body: DetectorSettings,
    responses: [[200, 'The detector', DetectorRecord]],
    handle: async ({ params, body, caller, audit }, { db, now }) => {
      const { before, after, detector } = await setDetector(db, caller, params.name, body, now());
      audit({ action: 'detector.changed', target_id: params.name, before, after });
      return detector;
    },
  }),

  route({
    method: 'get',
    path: '/v1/detectors/{name}/findings',
    operation_id: 'listDetectorFindings',
    tag: 'Detectors',
    summary: 'List the suppressed findings of a detector, newest first',
    description:
      'What a detector finds in shadow, or below its `severity_floor`: one a day (UTC) for each agent and subject, which later findings of the day are added to.',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['alerts'] },
    params: detectorParams,
    query: z.strictObject(pageQuery),
    responses: [[200, 'A page of findings', PageOf(ShadowFinding).meta({ id: 'ShadowFindingPage' })]],
    handle: ({ params, query, caller }, { db, config }) => {
      const { name } = detectorNamed(params.name);
      const page = pageRequest(config.secret_key, `detector_findings ${name}`, caller, query);
      return listShadowFindings(db, caller, name, page);
    },
  }),

  route({
    method: 'get',
    path: '/v1/detectors/{name}/quality',
    operation_id: 'getDetectorQuality',
    tag: 'Detectors',
    summary: 'Read the alert quality of a detector, and what it learned from feedback',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['alerts', 'analysis'], every: HOUR },
    params: detectorParams,
    query: z.strictObject({
      from: TimeFilter.optional().meta({
        description: 'alerts created at this time or later; by default 90 days before `to`',
      }),
      to: TimeFilter.optional().meta({ description: 'and before this time; by default the end of this hour' }),
    }),
    responses: [[200, 'Counts and shares', DetectorQuality]],
    handle: async ({ params, query, caller }, { db, now }) =>
      readQuality(db, caller, detectorNamed(params.name).name, query, now()),
  }),

  route({
    method: 'delete',
    path: '/v1/detectors/{name}/lessons/{id}',
    operation_id: 'forgetLesson',
    tag: 'Detectors',
    summary: 'Forget feedback of a detector',
    description:
      'The like of it is judged by its record alone from the next events on. The alerts that taught it stay as they are; reopening one of them takes back only what it taught.',
    access: { session: 'act' },
    changes: ['alerts'],
    params: detectorParams.extend({ id: Id('lsn') }),
    responses: [[200, 'The lesson as it was', Lesson]],
    handle: async ({ params, caller, audit }, { db }) => {
      const { name: detector } = detectorNamed(params.name);
      const before = orNotFound('lesson', await forgetLesson(db, caller, { detector, id: params.id }));
      audit({ action: 'lesson.forgotten', target_id: before.id, before });
      return before;
    },
  }),
];
