import type { z } from 'zod';
import { PageOf } from '#shared/interface/page.ts';
import { Event } from '#shared/events/log/events.ts';
import { timestamp } from '#shared/values/time.ts';
import { ask, type Service } from './client.ts';

/** How many events had their evidence verified, and were held against mandates, and what each came to. */
export type Verdicts = {
  verification: { verified: number; failed: number; inconclusive: number };
  mandate_evaluation: { compliant: number; breach: number; unresolved: number };
};

/** The verdicts on what occurred at `from` (milliseconds since 1970) or later, as the list of events shows them. */
export async function readVerdicts(service: Service, from: number): Promise<Verdicts> {
  const verdicts: Verdicts = {
    verification: { verified: 0, failed: 0, inconclusive: 0 },
    mandate_evaluation: { compliant: 0, breach: 0, unresolved: 0 },
  };
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const path: string = `/v1/events?limit=200&from=${timestamp(from)}${query}`;
    const page: z.infer<typeof EventPage> = await ask(service, 'GET', path, EventPage);
    for (const { verification, mandate_evaluation } of page.data) {
      if (verification) verdicts.verification[verification.result] += 1;
      if (mandate_evaluation) verdicts.mandate_evaluation[mandate_evaluation.result] += 1;
    }
    cursor = page.next_cursor;
  }
  return verdicts;
}

const EventPage = PageOf(Event);
