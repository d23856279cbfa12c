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
      label: 'Why (may be left out)',
      needed: false,
      about: 'This opens a case, or joins the open case of the agent, where it is looked into.',
    },
  },
  {
    name: 'resolve',
    label: 'Resolve',
    key: 'r',
    done: 'resolved',
    reason: {
      label: 'What was done (may be left out)',
      needed: false,
      about: 'It was right to raise it, and it is dealt with.',
    },
  },
  {
    name: 'dismiss',
    label: 'Dismiss',
    key: 'd',
    done: 'dismissed',
    reason: {
      label: 'Why it is a false alarm',
      needed: true,
      about:
        'Nothing is wrong here. Detectors are judged by what is dismissed, those of conduct learn from it, and the reason stays in the history.',
    },
  },
  {
    name: 'comment',
    label: 'Comment',
    key: 'c',
    done: 'commented on',
    reason: { label: 'Comment', needed: true, about: 'It stays in the history of the alert, and in its packs.' },
  },
  { name: 'reopen', label: 'Reopen', key: null, done: 'reopened', reason: null },
];

/** What may be done with an alert in its state. */
export const allowedActions = ({ state }: Pick<Alert, 'state'>): AlertActionKind[] =>
  alertActions.filter(({ name }) => transitions[state][name] !== undefined);
