import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ItemOf } from '#api/client/client.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';
import { SECOND } from '#shared/values/time.ts';

/** What became of a replay. `duplicates` were accepted by an earlier try whose answer was lost; `last_event_id` ends the log. */
type Replayed = { accepted: number; duplicates: number; last_event_id: string };

/**
 * Sends events through the real API; what one agent does keeps its order. Nothing is lost and nothing counts twice when the service is
 * away in between. Throws when an event is not taken.
 */
export async function replay(
  client: Client,
  events: readonly EventInput[],
  onProgress: (sent: number) => void = () => {},
): Promise<Replayed> {
  const counted = { accepted: 0, duplicates: 0 };
  let last = { chain_seq: 0, id: '' };
  const outgoing = events.map(event => ({
    id: event.id,
    json: JSON.stringify(event),
    agent: event.agent?.external_id ?? event.agent_id,
  }));
  for await (const outcomes of client.send([outgoing])) {
    for (const { event, status, chain_seq = 0, error } of outcomes) {
      if (status !== 'accepted' && status !== 'duplicate')
        throw new Error(`The event ${event.id} was not taken (${status}): ${error?.message}`);
      counted[status === 'accepted' ? 'accepted' : 'duplicates'] += 1;
      if (chain_seq > last.chain_seq) last = { chain_seq, id: event.id };
    }
    onProgress(counted.accepted + counted.duplicates);
  }
  return { ...counted, last_event_id: last.id };
}

/** Waits until detection has gone through the log as far as this event. Throws when that takes longer than `within` milliseconds. */
export async function untilAnalyzed(client: Client, event_id: string, within = 120 * SECOND): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < within) {
    const { analyzed_at } = await client.call('GET /v1/events/{id}', { params: { id: event_id } });
    if (analyzed_at !== null) return;
    await sleep(SECOND / 10);
  }
  throw new Error(
    `Detection has not reached the last event within ${within / SECOND} s. Is a process of the type detect running?`,
  );
}

/** Every alert there is, the oldest first. */
export async function readAlerts(client: Client): Promise<ItemOf<'GET /v1/alerts'>[]> {
  const alerts = [];
  for await (const alert of client.list('GET /v1/alerts')) alerts.push(alert);
  return alerts.toReversed();
}
