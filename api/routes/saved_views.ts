import { z } from 'zod';
import { route } from '#api/route.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { mayRole } from '#shared/interface/roles.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import {
  deleteSavedView,
  listSavedViews,
  NewSavedView,
  SavedView,
  SavedViewFilters,
  saveView,
} from '#shared/people/saved_views.ts';

export const savedViews = [
  route({
    method: 'get',
    path: '/v1/saved-views',
    operation_id: 'listSavedViews',
    tag: 'Saved views',
    summary: 'List the saved views of the dashboard, newest first',
    access: { session: 'read' },
    version: { of: ['saved_views'] },
    query: SavedViewFilters.extend(pageQuery),
    responses: [[200, 'A page of views', PageOf(SavedView).meta({ id: 'SavedViewPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listSavedViews(db, caller, query, pageRequest(config.secret_key, 'saved_views', caller, query)),
  }),

  route({
    method: 'post',
    path: '/v1/saved-views',
    operation_id: 'saveView',
    tag: 'Saved views',
    summary: 'Save a list of the dashboard with its filters, for all members',
    access: { session: 'act' },
    changes: ['saved_views'],
    body: NewSavedView,
    responses: [[201, 'The view', SavedView]],
    errors: { '409': 'The page has a view with that name', '422': 'There are 200 views' },
    handle: async ({ body, caller, audit }, { db, now }) => {
      const saved = await saveView(db, caller, body, caller.actor_id, now());
      audit({ action: 'saved_view.created', target_id: saved.id, after: saved });
      return saved;
    },
  }),

  route({
    method: 'delete',
    path: '/v1/saved-views/{id}',
    operation_id: 'deleteSavedView',
    tag: 'Saved views',
    summary: 'Delete a saved view',
    description: 'Members delete their own; admins and owners delete any.',
    access: { session: 'act' },
    changes: ['saved_views'],
    params: z.object({ id: Id('viw') }),
    responses: [[200, 'The view', SavedView]],
    handle: async ({ params, caller, audit }, { db, config }) => {
      const maker = mayRole(caller.role, 'administer', config.environment) ? null : caller.user_id;
      const deleted = orNotFound('saved view', await deleteSavedView(db, caller, params.id, maker));
      audit({ action: 'saved_view.deleted', target_id: deleted.id, before: deleted });
      return deleted;
    },
  }),
];
