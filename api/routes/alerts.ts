import { z } from 'zod';
import { route } from '#api/route.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { condition, type Described } from '#shared/json/json_schema.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { detectorNames } from '#shared/detection/detectors/index.ts';
import { AlertEvidence } from '#shared/casework/alert_evidence.ts';
import { readAlertEvidence } from '#shared/packs/archive/read_archived.ts';
import { actOnAlert } from '#shared/casework/alert_actions.ts';
import { Alert, AlertActionName, AlertDetail, findAlert, listAlerts, AlertFilters } from '#shared/casework/alerts.ts';
import { manyLines } from '#shared/values/text.ts';

export function someNeedReason({ jsonSchema }: Described): void {
  Object.assign(
    jsonSchema,
    condition({ action: { enum: ['dismiss', 'comment'] } }, { properties: { reason: {} }, required: ['reason'] }),
  );
}

/** An action on an alert. */
export const NewAlertAction = z
  .strictObject({
    action: AlertActionName,
    // A blank reason is valid input: it is refused only if the action needs a reason.
    reason: z
      .string()
      .max(2_000)
      .regex(manyLines, 'must not contain control characters other than tab and line break')
      .optional()
      .meta({ description: 'required to dismiss and to comment' }),
  })
  .meta({
    id: 'NewAlertAction',
    examples: [{ action: 'dismiss', reason: 'a price rise that was announced' }],
    override: someNeedReason,
  });

export const alerts = [
  route({
    method: 'get',
    path: '/v1/alerts',
    operation_id: 'listAlerts',
    tag: 'Alerts',
    summary: 'List alerts, newest first, or follow what changes',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['alerts'], unless: 'updated_from' },
    query: AlertFilters.extend({ detector: z.enum(detectorNames).optional(), ...pageQuery }),
    responses: [[200, 'A page of alerts', PageOf(Alert).meta({ id: 'AlertPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listAlerts(db, caller, query, pageRequest(config.secret_key, 'alerts', caller, query)),
  }),

  route({
    method: 'get',
    path: '/v1/alerts/{id}',
    operation_id: 'getAlert',
    tag: 'Alerts',
    summary: 'Read one alert',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['alerts'] },
    params: z.object({ id: Id('alr') }),
    responses: [[200, 'The alert', AlertDetail]],
    handle: async ({ params, caller }, { db }) => orNotFound('alert', await findAlert(db, caller, params.id)),
  }),

  route({
    method: 'get',
    path: '/v1/alerts/{id}/evidence',
    operation_id: 'getAlertEvidence',
    tag: 'Alerts',
    summary: 'Read the related payments of an alert, as of when it was raised',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['alerts'] },
    params: z.object({ id: Id('alr') }),
    responses: [[200, 'The evidence of the alert', AlertEvidence]],
    handle: async ({ params: { id }, caller }, services) =>
      orNotFound('alert', await readAlertEvidence(services, caller, id)),
  }),

  route({
    method: 'post',
    path: '/v1/alerts/{id}/actions',
    operation_id: 'actOnAlert',
    tag: 'Alerts',
    summary: 'Acknowledge, escalate, resolve, dismiss, reopen or comment on an alert',
    access: { scopes: ['alerts:write'], session: 'act' },
    changes: ['alerts', 'cases', 'agents'],
    params: z.object({ id: Id('alr') }),
    body: NewAlertAction,
    responses: [[200, 'The alert with the new action', AlertDetail]],
    handle: async ({ params, body, caller, audit }, { db, now }) => {
      const action = { action: body.action, reason: body.reason ?? null, actor_id: caller.actor_id };
      const { before, alert } = await actOnAlert(db, caller, params.id, action, now());
      audit({
        action: `alert.${body.action}`,
        target_id: alert.id,
        before,
        after: {
          state: alert.state,
          case_id: alert.case_id,
          reason: action.reason,
          ...(alert.lesson && alert.state !== before.state && { lesson: alert.lesson }),
        },
      });
      return alert;
    },
  }),
];
