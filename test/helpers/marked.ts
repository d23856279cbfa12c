import { fullEvent } from './inhabit.ts';
import type { event } from './make.ts';

/** A word that stands nowhere else. */
export const MARK = 'Zyxomarque';

/** An event that says the mark wherever it can. */
export const marked = (options: Parameters<typeof event>[0] = {}) =>
  fullEvent({
    payee: `domain:${MARK.toLowerCase()}.example.com`,
    payee_name: `${MARK} Ltd`,
    ...options,
    more: {
      evidence: [
        { kind: 'acme.note', value: MARK, label: MARK },
        { kind: 'psp.webhook', value: { headers: {}, body: MARK } },
      ],
      description: MARK,
      resource_url: `https://api.example.com/${MARK}`,
      instrument: { type: 'card', id: MARK, last4: '4242' },
      failure: { code: 'declined', message: MARK },
      context: { run_id: MARK, tool_name: MARK, tool_call_id: MARK, attempt: 1 },
      metadata: { about: MARK },
      ...options.more,
    },
  });
