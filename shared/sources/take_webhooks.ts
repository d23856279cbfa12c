import { z } from 'zod';
import type { EventInput } from '#shared/events/input/event_input.ts';
import type { IngestResult } from '#shared/events/log/ingest.ts';
import { unavailable } from '#shared/interface/errors.ts';
import type { WebhookSource } from '#shared/keys/sources.ts';
import type { Db } from '#shared/platform/db.ts';
import { SECOND } from '#shared/values/time.ts';
import { forgetCapture, paymentOfCapture } from './captures.ts';
import type { ReadingProblem } from './facts.ts';
import { type ReadNotice, readWebhook } from './read_webhook.ts';
import { forgetRefund, noteRefund } from './refunds.ts';
import type { SignedWebhook } from './signed_webhook.ts';
import { countUnread, keepUnread, settleUnread, unreadTriedUpTo } from './unread.ts';

/** Stores events in the log of the source's organization, and returns the result of each. */
export type TakeEvents = (source: WebhookSource, events: EventInput[]) => Promise<IngestResult[]>;

type Taking = { db: Db; takeEvents: TakeEvents; now: () => number };

/** The result of a webhook: part of it could not be read, or whether any of it was about a payment. */
export type TakeResult = 'unread' | 'read' | 'ignored';

/** Turns a webhook into events, and keeps it if that fails. */
export async function takeWebhook(
  { takeEvents, ...services }: Taking,
  source: WebhookSource,
  webhook: SignedWebhook,
): Promise<TakeResult> {
  const [{ taken, problems } = nothing] = await readInto({ takeEvents, ...services }, source, [webhook]);
  if (problems.length > 0) await keepUnread(services.db, source, webhook, problems);
  return taken;
}

const nothing: { taken: TakeResult; problems: ReadingProblem[] } = { taken: 'ignored', problems: [] };

export const Replayed = z
  .object({
    read: z.int().meta({ description: 'those that became events, or had become so before' }),
    ignored: z.int().meta({ description: 'those that say nothing of a payment' }),
    unread: z.int().meta({ description: 'those that still cannot be read' }),
    remaining: z.int().meta({ description: 'those that this call has not come to: call again until there are none' }),
  })
  .meta({ id: 'Replayed' });
export type Replayed = z.infer<typeof Replayed>;

/** Webhooks read at a time, and the duration of one call. */
const AT_ONCE = 50;
const MOST_TIME = 2 * SECOND;

/** Reads the unread webhooks of a source again, with its current mapping. Those tried the longest ago come first. */
export async function replayUnread(taking: Taking, source: WebhookSource): Promise<Replayed> {
  const { db, now } = taking;
  const begun = now();
  const counts = { read: 0, ignored: 0, unread: 0 };
  for (let more = true; more;) {
    const rows = await unreadTriedUpTo(db, source, begun, AT_ONCE);
    const webhooks = rows.flatMap(({ webhook }) => webhook ?? []);
    const outcomes = await readInto(taking, source, webhooks);
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

/** Reported by other notices already. */
const alreadyTold = { kind: 'told' } as const;

/** The result of each webhook. All their events are stored together. */
async function readInto({ db, takeEvents, now }: Taking, source: WebhookSource, webhooks: SignedWebhook[]) {
  const readings: (ReadNotice | typeof alreadyTold)[][] = [];
  for (const webhook of webhooks) {
    const items: (typeof readings)[number] = [];
    // One after the other: a notice's addition depends on those before it.
    for (const reading of readWebhook(source, webhook))
      items.push(reading.kind === 'event' ? await countedOnce({ db, now }, source, reading, webhook) : reading);
    readings.push(items);
  }
  const events = readings.flat().flatMap(reading => (reading.kind === 'event' ? reading.event : []));
  const results = events.length === 0 ? [] : await takeEvents(source, events);
  // The source was enabled a moment ago, and not all processes know: the service sends it again.
  if (results.some(({ error }) => error?.details?.some(({ code }) => code === 'unknown_source')))
    throw unavailable('This source cannot be taken events from at the moment. Try again.');
  let next = 0;
  const refused = new Set(events.filter((_, index) => results[index]?.status === 'rejected'));
  for (const reading of readings.flat())
    if (reading.kind === 'event' && refused.has(reading.event)) {
      if (reading.refund) await forgetRefund(db, source, reading.refund.notice, now());
      if (reading.capture) await forgetCapture(db, source, reading.capture, reading.event.id);
    }
  return readings.map(items => {
    const problems = items.flatMap((reading, item) => {
      if (reading.kind === 'unread') return reading.problems;
      return reading.kind === 'event' ? refusalOf(results[next++], item) : [];
    });
    const isRead = items.some(({ kind }) => kind !== 'ignored');
    return {
      taken: problems.length > 0 ? ('unread' as const) : isRead ? ('read' as const) : ('ignored' as const),
      problems,
    };
  });
}

/**
 * The event of a refund with the part that no other notice has reported; none if others reported all of it. If the webhook does not state
 * the amount, its SHA-256 is added instead of the webhook, which would seem to contradict it. A capture is of the payment that it is.
 */
async function countedOnce(
  { db, now }: Pick<Taking, 'db' | 'now'>,
  source: WebhookSource,
  reading: ReadNotice & { kind: 'event' },
  { body_hash }: SignedWebhook,
): Promise<ReadNotice | typeof alreadyTold> {
  const { event, refund, capture } = reading;
  if (capture) {
    const isMade = event.type === 'payment.settled';
    const payment_id = await paymentOfCapture(db, source, capture, { isMade, now: now() });
    return { ...reading, event: { ...event, payment: { ...event.payment, payment_id } } };
  }
  if (!refund) return reading;
  const { counted, amount, event_id } = await noteRefund(db, source, refund.notice, refund.idOf, now());
  if (event_id === null) return alreadyTold;
  if (counted === amount) return { ...reading, event: { ...event, id: event_id } };
  const { evidence: _, payment, ...rest } = event;
  const part = { ...payment, amount: { ...payment.amount, value: counted } };
  return { ...reading, event: { ...rest, id: event_id, payment: part, metadata: { webhook_sha256: body_hash } } };
}

/** Why the log refused an event. A duplicate with other content is the same notice, signed again or read by another mapping. */
function refusalOf(result: IngestResult | undefined, item: number): ReadingProblem[] {
  if (result?.status !== 'rejected') return [];
  const details = result.error?.details ?? [];
  return details.map(({ path, code, message }) => ({ item, code, message, path: path.replace(/^\/events\/\d+/, '') }));
}
