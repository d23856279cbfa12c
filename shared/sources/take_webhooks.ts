import { z } from 'zod';
import type { EventInput } from '#shared/events/input/event_input.ts';
import type { IngestResult } from '#shared/events/log/ingest.ts';
import { unavailable } from '#shared/interface/errors.ts';
import type { WebhookSource } from '#shared/keys/sources.ts';
import type { Db } from '#shared/platform/db.ts';
import { SECOND } from '#shared/values/time.ts';
import type { ReadingProblem } from './facts.ts';
import { readWebhook } from './read_webhook.ts';
import type { SignedWebhook } from './signed_webhook.ts';
import { countUnread, keepUnread, settleUnread, unreadTriedUpTo } from './unread.ts';

/** Takes events into the log of the source's organization, and says of each what became of it. */
export type TakeEvents = (source: WebhookSource, events: EventInput[]) => Promise<IngestResult[]>;

/** What became of a webhook: whether some of it could not be read, or else whether it said anything of a payment. */
export type Taken = 'unread' | 'read' | 'ignored';

/** Makes events of a webhook, and keeps it where that cannot be done. */
export async function takeWebhook(
  { db, takeEvents }: { db: Db; takeEvents: TakeEvents },
  source: WebhookSource,
  webhook: SignedWebhook,
): Promise<Taken> {
  const [{ taken, problems } = nothing] = await readInto(takeEvents, source, [webhook]);
  if (problems.length > 0) await keepUnread(db, source, webhook, problems);
  return taken;
}

const nothing: { taken: Taken; problems: ReadingProblem[] } = { taken: 'ignored', problems: [] };

export const Replayed = z
  .object({
    read: z.int().meta({ description: 'those that became events, or had become so before' }),
    ignored: z.int().meta({ description: 'those that say nothing of a payment' }),
    unread: z.int().meta({ description: 'those that still cannot be read' }),
    remaining: z.int().meta({ description: 'those that this call has not come to: call again until there are none' }),
  })
  .meta({ id: 'Replayed' });
export type Replayed = z.infer<typeof Replayed>;

/** How many are read at a time, and for how long one call goes on. */
const AT_ONCE = 50;
const MOST_TIME = 2 * SECOND;

/** Reads the unread webhooks of a source again, as its mapping is now. Those tried the longest ago come first. */
export async function replayUnread(
  { db, takeEvents, now }: { db: Db; takeEvents: TakeEvents; now: () => number },
  source: WebhookSource,
): Promise<Replayed> {
  const begun = now();
  const counts = { read: 0, ignored: 0, unread: 0 };
  for (let more = true; more;) {
    const rows = await unreadTriedUpTo(db, source, begun, AT_ONCE);
    const webhooks = rows.flatMap(({ webhook }) => webhook ?? []);
    const outcomes = await readInto(takeEvents, source, webhooks);
    let next = 0;
    const tried = rows.map(({ id, webhook }) => {
      const outcome = webhook === null ? lost : (outcomes[next++] ?? lost);
      counts[outcome.taken] += 1;
      return { id, problems: outcome.problems };
    });
    await settleUnread(db, source, tried, begun + 1);
    more = rows.length === AT_ONCE && now() - begun < MOST_TIME;
  }
  return { ...counts, remaining: await countUnread(db, source, begun) };
}

const lost: typeof nothing = {
  taken: 'unread',
  problems: [
    { item: 0, code: 'body_not_kept', message: 'The body was not kept: it was too large, or held a full card number.' },
  ],
};

/** What became of each webhook. All their events are taken in one go. */
async function readInto(takeEvents: TakeEvents, source: WebhookSource, webhooks: SignedWebhook[]) {
  const readings = webhooks.map(webhook => readWebhook(source, webhook));
  const events = readings.flat().flatMap(reading => (reading.kind === 'event' ? reading.event : []));
  const results = events.length === 0 ? [] : await takeEvents(source, events);
  // It was enabled a moment ago, and not everywhere is that known: the service sends it again.
  if (results.some(({ error }) => error?.details?.some(({ code }) => code === 'unknown_source')))
    throw unavailable('This source cannot be taken events from at the moment. Try again.');
  let next = 0;
  return readings.map(items => {
    const problems = items.flatMap((reading, item) => {
      if (reading.kind === 'unread') return reading.problems;
      return reading.kind === 'event' ? refusalOf(results[next++], item) : [];
    });
    const isRead = items.some(({ kind }) => kind === 'event');
    return {
      taken: problems.length > 0 ? ('unread' as const) : isRead ? ('read' as const) : ('ignored' as const),
      problems,
    };
  });
}

/** Why the log did not take an event. Known with other content it is the same notice, signed anew or read by another mapping. */
function refusalOf(result: IngestResult | undefined, item: number): ReadingProblem[] {
  if (result?.status !== 'rejected') return [];
  const details = result.error?.details ?? [];
  return details.map(({ path, code, message }) => ({ item, code, message, path: path.replace(/^\/events\/\d+/, '') }));
}
