import { z } from 'zod';
import { route } from '#api/route.ts';
import { NewAlertAction, someNeedReason } from './alerts.ts';
import { assignIncident, NewAssignee } from '#shared/casework/assign_incident.ts';
import { actOnIncident } from '#shared/casework/incident_actions.ts';
import { findIncident, Incident, IncidentDetail, IncidentFilters, listIncidents } from '#shared/casework/incidents.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { SeenAlerts, Snooze, snoozeIncident, unsnoozeIncident } from '#shared/casework/snooze.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';

const params = z.object({ id: Id('inc') });

/** An action on all live alerts of an incident. */
const NewIncidentAction = NewAlertAction.extend({
  alert_count: SeenAlerts.optional().meta({
    description: 'how many alerts you saw: with another one since, nothing is done',
  }),
}).meta({
  id: 'NewIncidentAction',
  examples: [{ action: 'dismiss', reason: 'a price rise that was announced', alert_count: 3 }],
  override: someNeedReason,
});

export const incidents = [
  route({
    method: 'get',
    path: '/v1/incidents',
    operation_id: 'listIncidents',
    tag: 'Incidents',
    summary: 'List incidents, newest first, or follow what changes',
    access: { scopes: ['alerts:read'], session: 'read' },
    // An incident changes only when its alerts do, when somebody changes it, or when a snooze ends, see `wakeSnoozed`.
    version: { of: ['alerts'], unless: 'updated_from' },
    query: IncidentFilters.extend(pageQuery),
    responses: [[200, 'A page of incidents', PageOf(Incident).meta({ id: 'IncidentPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listIncidents(db, caller, query, pageRequest(config.secret_key, 'incidents', caller, query)),
  }),

  route({
    method: 'get',
    path: '/v1/incidents/{id}',
    operation_id: 'getIncident',
    tag: 'Incidents',
    summary: 'Read one incident with its alerts',
    description: 'The id of an incident that became part of a storm answers with the storm.',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['alerts'] },
    params,
    responses: [[200, 'The incident', IncidentDetail]],
    handle: async ({ params, caller }, { db }) => orNotFound('incident', await findIncident(db, caller, params.id)),
  }),

  route({
    method: 'post',
    path: '/v1/incidents/{id}/actions',
    operation_id: 'actOnIncident',
    tag: 'Incidents',
    summary: 'Acknowledge, escalate, resolve, dismiss, reopen or comment on all live alerts of an incident',
    description:
      'Acts on the open, acknowledged and escalated alerts that the action applies to. If it applies to none of them, the answer is 409 `invalid_transition`. An incident that became part of a storm since is not acted on. Escalating puts them into one case.',
    access: { scopes: ['alerts:write'], session: 'act' },
    changes: ['alerts', 'cases', 'agents'],
    params,
    body: NewIncidentAction,
    responses: [[200, 'The incident after the action', IncidentDetail]],
    handle: async ({ params, body, caller, audit }, { db, now }) => {
      const action = { ...body, reason: body.reason ?? null, actor_id: caller.actor_id };
      const { before, alert_ids, incident } = await actOnIncident(db, caller, params.id, action, now());
      audit({
        action: `incident.${body.action}`,
        target_id: incident.id,
        before,
        after: { state: incident.state, alert_ids, reason: action.reason },
      });
      return incident;
    },
  }),

  route({
    method: 'put',
    path: '/v1/incidents/{id}/assignee',
    operation_id: 'assignIncident',
    tag: 'Incidents',
    summary: 'Assign an incident to a member, or to nobody',
    description:
      'The member is notified, unless it is the one who assigns. A storm that takes in an incident keeps its own assignee.',
    access: { scopes: ['alerts:write'], session: 'act' },
    changes: ['alerts'],
    params,
    body: NewAssignee,
    errors: {
      '409': 'The incident is assigned to another than `from`, or part of a storm by now',
      '422': 'The assignee is no member',
    },
    responses: [[200, 'The incident', IncidentDetail]],
    handle: async ({ params, body, caller, audit }, { db, now }) => {
      const { before, incident } = await assignIncident(db, caller, params.id, body, caller.actor_id, now());
      const { id, assignee_id } = incident;
      if (assignee_id !== before)
        audit({ action: 'incident.assigned', target_id: id, before: { assignee_id: before }, after: { assignee_id } });
      return incident;
    },
  }),

  route({
    method: 'put',
    path: '/v1/incidents/{id}/snooze',
    operation_id: 'snoozeIncident',
    tag: 'Incidents',
    summary: 'Snooze an open incident until a time, or until it gets another alert or becomes more severe',
    access: { scopes: ['alerts:write'], session: 'act' },
    changes: ['alerts'],
    params,
    body: Snooze,
    errors: {
      '409': 'The incident is closed, part of a storm by now, or has other than `alert_count` alerts',
      '422': '`until` is past, or more than 30 days ahead',
    },
    responses: [[200, 'The incident', IncidentDetail]],
    handle: async ({ params, body, caller, audit }, { db, now }) => {
      const incident = await snoozeIncident(db, caller, params.id, body, now());
      audit({ action: 'incident.snoozed' as const, target_id: incident.id, after: { until: body.until } });
      return incident;
    },
  }),

  route({
    method: 'delete',
    path: '/v1/incidents/{id}/snooze',
    operation_id: 'unsnoozeIncident',
    tag: 'Incidents',
    summary: 'Bring a snoozed incident back',
    access: { scopes: ['alerts:write'], session: 'act' },
    changes: ['alerts'],
    params,
    errors: { '409': 'The incident is closed, or part of a storm by now' },
    responses: [[200, 'The incident', IncidentDetail]],
    handle: async ({ params, caller, audit }, { db }) => {
      const incident = await unsnoozeIncident(db, caller, params.id);
      audit({ action: 'incident.unsnoozed' as const, target_id: incident.id });
      return incident;
    },
  }),
];
