import { z } from 'zod';
import { route } from '#api/route.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { changeCase, changeCaseStatus, commentOnCase, createCase, linkToCase } from '#shared/casework/case_changes.ts';
import { CaseChange, NewCase, NewCaseComment, NewCaseLinks, NewCaseStatus } from '#shared/casework/case_input.ts';
import { Case, CaseDetail, findCase, listCases, CaseFilters } from '#shared/casework/cases.ts';

const params = z.object({ id: Id('cas') });

export const cases = [
  route({
    method: 'get',
    path: '/v1/cases',
    operation_id: 'listCases',
    tag: 'Cases',
    summary: 'List cases, newest first, or follow what changes',
    access: { scopes: ['cases:read'], session: 'read' },
    version: { of: ['cases'], unless: 'updated_from' },
    query: CaseFilters.extend(pageQuery),
    responses: [[200, 'A page of cases', PageOf(Case).meta({ id: 'CasePage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listCases(db, caller, query, pageRequest(config.secret_key, 'cases', caller, query)),
  }),

  route({
    method: 'post',
    path: '/v1/cases',
    operation_id: 'createCase',
    tag: 'Cases',
    summary: 'Open a case',
    description:
      'When all that it is linked to is about one agent, alerts of that agent that are escalated later join it while it is not closed.',
    access: { scopes: ['cases:write'], session: 'act' },
    changes: ['cases', 'alerts'],
    body: NewCase,
    responses: [[201, 'The case', Case]],
    handle: async ({ body, caller, audit }, { db, now }) => {
      const created = await createCase(db, caller, body, caller, now());
      const { alert_ids, event_ids } = body;
      audit({ action: 'case.created', target_id: created.id, after: { ...created, alert_ids, event_ids } });
      return created;
    },
  }),

  route({
    method: 'get',
    path: '/v1/cases/{id}',
    operation_id: 'getCase',
    tag: 'Cases',
    summary: 'Read one case with its links and its timeline',
    access: { scopes: ['cases:read'], session: 'read' },
    version: { of: ['cases'] },
    params,
    responses: [[200, 'The case', CaseDetail]],
    handle: async ({ params, caller }, { db }) => orNotFound('case', await findCase(db, caller, params.id)),
  }),

  route({
    method: 'patch',
    path: '/v1/cases/{id}',
    operation_id: 'changeCase',
    tag: 'Cases',
    summary: 'Change the title, priority, or assignee of a case',
    access: { scopes: ['cases:write'], session: 'act' },
    changes: ['cases'],
    params,
    body: CaseChange,
    responses: [[200, 'The case', Case]],
    handle: async ({ params, body, caller, audit }, { db, now }) => {
      const { before, after } = await changeCase(db, caller, params.id, body, caller, now());
      audit({ action: 'case.changed', target_id: after.id, before, after });
      return after;
    },
  }),

  route({
    method: 'post',
    path: '/v1/cases/{id}/status',
    operation_id: 'changeCaseStatus',
    tag: 'Cases',
    summary: 'Open, investigate, close or reopen a case',
    description:
      'An open case and one under investigation lead to each other and to closed; a closed one is reopened as investigating. Closing a closed case adds a closing note that it lacks.',
    access: { scopes: ['cases:write'], session: 'act' },
    changes: ['cases'],
    params,
    body: NewCaseStatus,
    responses: [[200, 'The case', Case]],
    handle: async ({ params, body, caller, audit }, { db, now }) => {
      const { before, after } = await changeCaseStatus(db, caller, params.id, body, caller, now());
      audit({ action: 'case.status_changed', target_id: after.id, before, after });
      return after;
    },
  }),

  route({
    method: 'post',
    path: '/v1/cases/{id}/comments',
    operation_id: 'commentOnCase',
    tag: 'Cases',
    summary: 'Comment on a case, open or closed',
    access: { scopes: ['cases:write'], session: 'act' },
    changes: ['cases'],
    params,
    body: NewCaseComment,
    responses: [[200, 'The case with the comment in its timeline', CaseDetail]],
    handle: async ({ params, body, caller, audit }, { db, now }) => {
      const commented = await commentOnCase(db, caller, params.id, body.text, caller, now());
      audit({ action: 'case.commented', target_id: commented.id, after: { text: body.text } });
      return commented;
    },
  }),

  route({
    method: 'post',
    path: '/v1/cases/{id}/links',
    operation_id: 'linkToCase',
    tag: 'Cases',
    summary: 'Link a case to alerts, events, screenings and packs',
    description:
      'An alert moves here from a closed case; one that is in a case that is not closed is refused. What is linked already stays.',
    access: { scopes: ['cases:write'], session: 'act' },
    changes: ['cases', 'alerts'],
    params,
    body: NewCaseLinks,
    responses: [[200, 'The case with its links', CaseDetail]],
    handle: async ({ params, body, caller, audit }, { db, now }) => {
      const { linked, after } = await linkToCase(db, caller, params.id, body, caller, now());
      audit({ action: 'case.linked', target_id: after.id, after: linked });
      return after;
    },
  }),
];
