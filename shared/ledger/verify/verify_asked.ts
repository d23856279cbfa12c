import { z } from 'zod';
import { unprocessable } from '#shared/interface/errors.ts';
import { type Tenant, withExamples } from '#shared/interface/schemas.ts';
import { sizeOfLog } from '#shared/ledger/grow.ts';
import { verifyLog, type VerifyServices } from './verify_log.ts';
import { verifyRange } from './verify_range.ts';

/** Events verified at most while a caller waits. */
const MOST_EVENTS = 100_000;

const seq = z.int().min(1);

export const VerifyInput = z
  .strictObject({
    from_seq: seq.optional().meta({ description: 'the first event; 1 when left out' }),
    to_seq: seq.optional().meta({ description: 'the last event; the last there is when left out' }),
  })
  .meta({ id: 'VerifyInput', ...withExamples([{ from_seq: 1 }]) });
export type VerifyInput = z.output<typeof VerifyInput>;

export const LogVerification = z
  .object({
    ok: z.boolean(),
    checked: z.int().meta({ description: 'how many events were found sound' }),
    archived: z.int().meta({
      description:
        'how many of these are in archives, which only `admin log verify --archives` reads: their leaves were compared with the tree, and with what was signed of each archive',
    }),
    erased: z
      .int()
      .meta({ description: 'how many of these were erased: their hashes stay, and a signed erasure covers each' }),
    first_bad_seq: z.int().nullable().meta({
      description:
        'the first event from which on the log is not what it was; null where it is, or where no event is concerned',
    }),
    reason: z.string().optional().meta({ description: 'what is not as it was, in a sentence' }),
  })
  .meta({ id: 'LogVerification' });
export type LogVerification = z.infer<typeof LogVerification>;

/** Verifies a log or a part of it, and says which. Throws `unprocessable` when that takes too long to wait for, or the log is shorter. */
export async function verifyAsked(
  services: VerifyServices,
  tenant: Tenant,
  { from_seq: from = 1, to_seq }: VerifyInput,
): Promise<LogVerification & { from_seq: number; to_seq: number }> {
  const size = await sizeOfLog(services.db, tenant);
  const to = to_seq ?? size;
  if (to > size) throw unprocessable('/to_seq', 'too_big', `The log has ${size} events; to_seq must be at most that.`);
  if (from > Math.max(to, 1))
    throw unprocessable(
      '/from_seq',
      'too_big',
      `from_seq must be at most ${to_seq === undefined ? `${size}, the last event` : 'to_seq'}.`,
    );
  if (to - from >= MOST_EVENTS)
    throw unprocessable(
      '/to_seq',
      'too_long',
      'At most 100,000 events are verified at once: give from_seq and to_seq, or ask the operator for `admin log verify`, which reads all.',
    );
  const isAll = from === 1 && to === size;
  const range = { from_seq: from, to_seq: to };
  const { checked, archived, erased, flaw } = await (isAll
    ? verifyLog(services, tenant)
    : verifyRange(services, tenant, range));
  return {
    ...range,
    ok: !flaw,
    checked,
    archived,
    erased,
    first_bad_seq: flaw?.seq ?? null,
    ...(flaw && { reason: flaw.reason }),
  };
}
