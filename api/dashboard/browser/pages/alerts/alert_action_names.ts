import type { BodyOf } from '#api/client/call.ts';
import type { Alert } from '#shared/casework/alerts.ts';
import { transitions } from '#shared/casework/alert_transitions.ts';

type NewAlertAction = BodyOf<'POST /v1/alerts/{id}/actions'>;

export type ActionName = NewAlertAction['action'];

/** What can be done with an alert: how it is called, by which key, which words it asks for, and how it is told when it was done. */
export type AlertActionKind = {
  name: ActionName;
  label: string;
  key: string | null;
  done: string;
  reason: { label: string; needed: boolean; about: string } | null;
};

export const alertActions: AlertActionKind[] = [
  { name: 'acknowledge', label: 'Acknowledge', key: 'a', done: 'acknowledged', reason: null },
  {
    name: 'escalate',
    label: 'Escalate',
    key: 'e',
    done: 'escalated',
    reason: {
      label: 'Reason (optional)',
      needed: false,
      about: 'Opens a case for investigation, or adds to the agent’s open case.',
    },
  },
  {
    name: 'resolve',
    label: 'Resolve',
    key: 'r',
    done: 'resolved',
    reason: {
      label: 'What was done (optional)',
      needed: false,
      about: 'The alert was correct and has been dealt with.',
    },
  },
  {
    name: 'dismiss',
    label: 'Dismiss',
    key: 'd',
    done: 'dismissed',
    reason: {
      label: 'Why this is a false alarm',
      needed: true,
      about:
        'Nothing is wrong. Dismissals count against the detector’s precision, behavioral detectors learn from them, and the reason stays in the history.',
    },
  },
  {
    name: 'comment',
    label: 'Comment',
    key: 'c',
    done: 'commented',
    reason: { label: 'Comment', needed: true, about: 'Stays in the alert’s history and in its evidence packs.' },
  },
  { name: 'reopen', label: 'Reopen', key: null, done: 'reopened', reason: null },
];

/** What may be done with an alert in its state. */
export const allowedActions = ({ state }: Pick<Alert, 'state'>): AlertActionKind[] =>
  alertActions.filter(({ name }) => transitions[state][name] !== undefined);
