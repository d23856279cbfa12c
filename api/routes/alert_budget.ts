import { route } from '#api/route.ts';
import {
  AlertBudget,
  findAlertBudget,
  NewAlertBudget,
  setAlertBudget,
} from '#shared/detection/settings/alert_budget.ts';
import { HOUR } from '#shared/values/time.ts';

export const alertBudget = [
  route({
    method: 'get',
    path: '/v1/alert-budget',
    operation_id: 'getAlertBudget',
    tag: 'Detectors',
    summary: 'Read the alert budget, and what became of it in the last 30 days',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['detectors', 'alerts', 'analysis'], every: HOUR },
    responses: [[200, 'The alert budget', AlertBudget]],
    handle: ({ caller }, { db, now }) => findAlertBudget(db, caller, now()),
  }),

  route({
    method: 'put',
    path: '/v1/alert-budget',
    operation_id: 'setAlertBudget',
    tag: 'Detectors',
    summary: 'Set how many false alarms an agent may cause in a month',
    description: `Behavioral detectors raise an alert where what an agent does is so rare for it that no more false alarms than this are to be
expected, over all of them together. It holds from the next events on. Detectors with customized parameters keep to those.`,
    access: { session: 'configure' },
    changes: ['detectors'],
    body: NewAlertBudget,
    responses: [[200, 'The alert budget', AlertBudget]],
    handle: async ({ body, caller, audit }, { db, now }) => {
      const { before, budget } = await setAlertBudget(db, caller, { ...body, set_by: caller.actor_id }, now());
      const { per_agent_month } = budget;
      audit({
        action: 'alert_budget.changed',
        target_id: null,
        before: { per_agent_month: before },
        after: { per_agent_month },
      });
      return budget;
    },
  }),
];
