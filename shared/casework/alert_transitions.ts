import type { AlertActionName, AlertState } from './alerts.ts';

/** The state each action leads to, by the state it starts from. Anything else is not allowed. */
export const transitions: Record<AlertState, Partial<Record<AlertActionName, AlertState>>> = {
  open: {
    acknowledge: 'acknowledged',
    escalate: 'escalated',
    resolve: 'resolved',
    dismiss: 'dismissed',
    comment: 'open',
  },
  acknowledged: {
    escalate: 'escalated',
    resolve: 'resolved',
    dismiss: 'dismissed',
    reopen: 'open',
    comment: 'acknowledged',
  },
  escalated: { resolve: 'resolved', dismiss: 'dismissed', reopen: 'open', comment: 'escalated' },
  resolved: { reopen: 'open', comment: 'resolved' },
  dismissed: { reopen: 'open', comment: 'dismissed' },
};
