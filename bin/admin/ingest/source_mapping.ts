import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Refusal } from '#api/client/send_events.ts';
import { derivedId } from '#shared/interface/ids.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { PspConfig } from '#shared/keys/psp_config.ts';
import { PspScheme } from '#shared/keys/sources.ts';
import { readNotice, type SourceReading } from '#shared/sources/read_notice.ts';
import type { JsonObject } from '#shared/verification/json.ts';
import { readNotices } from '#shared/verification/psp_webhook/statements/index.ts';

/** How a source reads webhooks, in the form of `POST /v1/sources`; files are read in the same way. Its other members are ignored. */
export const SourceMapping = z.object({
  psp_scheme: PspScheme.default('generic'),
  psp_config: PspConfig.nullable().default(null),
});

/**
 * The event from an object of a file, or the reason there is none. An identifiable notice has the same id in every file; others get one.
 * Signatures are not checked, and nothing is evidence: anyone with the file can change it.
 */
export function eventOfObject(source: SourceReading, object: JsonObject): { event: object } | { fault: Refusal } {
  const [notice, ...more] = readNotices(object, source.psp_scheme);
  if (!notice) return refuse('It has no notification.');
  if (more.length > 0) return refuse('It has several notifications; give each an object of its own.');
  const reading = readNotice(source, notice, undefined);
  if (reading.kind === 'ignored')
    return refuse('It is of no payment, or of a type that the mapping does not translate (psp_config.mapping.type).');
  if (reading.kind === 'unread')
    return refuse(
      reading.problems.map(({ message }) => message).join(' '),
      reading.problems.map(({ code, message, path = '' }) => ({ path, code, message })),
    );
  const { event, told } = reading;
  const same = told.mapped ?? told.own;
  if (same === undefined) return { event };
  const service = source.psp_config?.service ?? source.psp_scheme;
  const { payment_id, amount } = event.payment;
  // Known services give each thing its own id; others may use a payment's id for everything that happens to it.
  const what = notice.by === 'other' ? [event.type, payment_id, amount.value] : [];
  const digest = hash('sha256', canonicalJson([service, same, ...what]), 'buffer');
  return { event: { id: derivedId('evt', 0, digest), ...event } };
}

const refuse = (message: string, details?: Refusal['details']): { fault: Refusal } => ({
  fault: { code: 'invalid_request', message, ...(details && { details }) },
});

/** The columns that a source's mapping refers to. */
export const columnsOf = ({ psp_config }: SourceReading): string[] =>
  Object.values(psp_config?.mapping ?? {}).flatMap(place => {
    const pointer = typeof place === 'string' ? place : 'pointer' in place ? place.pointer : null;
    return pointer === null ? [] : [pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')];
  });
