import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { PageOf } from '#shared/interface/page.ts';
import { Alert } from '#shared/casework/alerts.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';
import { EventDetail } from '#shared/events/log/events.ts';
import { IngestResult } from '#shared/events/log/ingest.ts';
import { SECOND } from '#shared/values/time.ts';
import { ask, type Service } from './client.ts';

/** What became of a replay. `duplicates` were accepted by an earlier try whose answer was lost; `last_event_id` ends the log. */
type Replayed = { accepted: number; duplicates: number; last_event_id: string };

const BATCH = 200;
const CONNECTIONS = 4;

/**
 * Sends events through the real API, in batches over a few connections; what one agent does keeps its order. Tries again with the
 * same ids when the service is away, so that nothing is lost and nothing counts twice. Throws when an event is not taken.
 */
export async function replay(
  service: Service,
  events: readonly EventInput[],
  onProgress: (sent: number) => void = () => {},
): Promise<Replayed> {
  const counted = { accepted: 0, duplicates: 0 };
  let last = { chain_seq: 0, id: '' };
  const send = async (lane: readonly EventInput[]) => {
    for (let from = 0; from < lane.length; from += BATCH) {
      const batch = lane.slice(from, from + BATCH);
      const { results } = await ask(service, 'POST', '/v1/events', BatchAnswer, { events: batch });
      if (results.length !== batch.length) throw new Error('The service did not answer for every event of a batch.');
      for (const { status, id, chain_seq = 0, error } of results) {
        if (status !== 'accepted' && status !== 'duplicate')
          throw new Error(`The event ${id} was not taken (${status}): ${error?.message}`);
        counted[status === 'accepted' ? 'accepted' : 'duplicates'] += 1;
        if (chain_seq > last.chain_seq) last = { chain_seq, id: id ?? '' };
      }
      onProgress(counted.accepted + counted.duplicates);
    }
  };
  await Promise.all(lanesOf(events).map(send));
  return { ...counted, last_event_id: last.id };
}

const BatchAnswer = z.object({ results: z.array(IngestResult) });

/** The events of each agent stay together, in order. */
function lanesOf(events: readonly EventInput[]): EventInput[][] {
  const agents = new Map<string, number>();
  const lanes = Array.from({ length: CONNECTIONS }, (): EventInput[] => []);
  for (const event of events) {
    const agent = event.agent?.external_id ?? event.agent_id ?? '';
    const number = agents.get(agent) ?? agents.size;
    agents.set(agent, number);
    lanes[number % CONNECTIONS]?.push(event);
  }
  return lanes.filter(lane => lane.length > 0);
}

/** Waits until detection has gone through the log as far as this event. Throws when that takes longer than `within` milliseconds. */
export async function untilAnalyzed(service: Service, event_id: string, within = 120 * SECOND): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < within) {
    const { analyzed_at } = await ask(service, 'GET', `/v1/events/${event_id}`, EventDetail);
    if (analyzed_at !== null) return;
    await sleep(SECOND / 10);
  }
  throw new Error(
    `Detection has not reached the last event within ${within / SECOND} s. Is a process of the type detect running?`,
  );
}

/** Every alert there is, the oldest first. */
export async function readAlerts(service: Service): Promise<Alert[]> {
  const alerts: Alert[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const page: z.infer<typeof AlertPage> = await ask(service, 'GET', `/v1/alerts?limit=200${query}`, AlertPage);
    alerts.push(...page.data);
    cursor = page.next_cursor;
  }
  return alerts.toReversed();
}

const AlertPage = PageOf(Alert);
