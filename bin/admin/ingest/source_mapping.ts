import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Refusal } from '#api/client/send_events.ts';
import { derivedId } from '#shared/interface/ids.ts';
import { PspConfig } from '#shared/keys/psp_config.ts';
import { PspScheme } from '#shared/keys/sources.ts';
import { readNotice, type SourceReading } from '#shared/sources/read_notice.ts';
import type { JsonObject } from '#shared/verification/json.ts';
import { readNotices } from '#shared/verification/psp_webhook/statements/index.ts';

/** How a source reads webhooks, as `POST /v1/sources` takes it; files are read in the same way. What else a source has is left. */
export const SourceMapping = z.object({
  psp_scheme: PspScheme.default('generic'),
  psp_config: PspConfig.nullable().default(null),
});

/**
 * The event that an object of a file becomes, or why it becomes none. What says which notice it is has an id that is the same in every file; the
 * others are given one. Signatures are not checked, and nothing is evidence: who has a file can change it.
 */
export function eventOfObject(source: SourceReading, object: JsonObject): { event: object } | { fault: Refusal } {
  const [notice, ...more] = readNotices(object, source.psp_scheme);
  if (!notice || more.length > 0) return refuse('It has several notifications; give each a line of its own.');
  const read = readNotice(source, notice, undefined);
  if (read.kind === 'ignored')
    return refuse('It is of no payment, or of a type that the mapping does not translate (psp_config.mapping.type).');
  if (read.kind === 'unread')
    return refuse(
      read.problems.map(({ message }) => message).join(' '),
      read.problems.map(({ code, message, path = '' }) => ({ path, code, message })),
    );
  const { event, told } = read;
  const same = told.mapped ?? told.own;
  if (same === undefined) return { event };
  const digest = hash('sha256', `${same}\n${event.type}\n${event.payment.amount.value}`, 'buffer');
  return { event: { id: derivedId('evt', Date.parse(event.occurred_at), digest), ...event } };
}

const refuse = (message: string, details?: Refusal['details']): { fault: Refusal } => ({
  fault: { code: 'invalid_request', message, ...(details && { details }) },
});
