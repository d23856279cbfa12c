import { hash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { columnOf, tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { StoredInput } from '#shared/events/input/erased_input.ts';
import { MAX_EVIDENCE_BYTES } from '#shared/events/input/evidence_input.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { inPortions } from './portions.ts';

/** An event whose evidence is to be checked; `erased` are the positions of erased pieces. */
export type Evidenced = { chain_seq: number; id: string; normal: StoredInput; erased: readonly number[] };

/** A fault, as the end of a sentence about an event. */
export type EventFault = { chain_seq: number; reason: string };

/**
 * Compares the evidence of events with their inputs: no piece missing or superfluous, each described as in the input, and each remaining
 * value with the SHA-256 in the log. A value erased according to a statement must be gone. `erased` are the ids of events with an erased
 * value. Reads up to 8 MB at once.
 */
export async function checkEvidence(
  db: Db,
  tenant: Tenant,
  events: readonly Evidenced[],
): Promise<{ faults: EventFault[]; erased: Set<string> }> {
  const pieces = Map.groupBy(await readPieces(db, tenant, events), piece => piece.event_id);
  const faults = events.flatMap(({ chain_seq, id, normal, erased }) => {
    const reason = descriptionFault(normal, pieces.get(id) ?? []) ?? erasureFault(erased, pieces.get(id) ?? []);
    return reason === null ? [] : [{ chain_seq, reason }];
  });
  const all = [...pieces.values()].flat();
  const seqOf = new Map(events.map(({ id, chain_seq }) => [id, chain_seq]));
  for await (const portion of inPortions(
    all.filter(piece => piece.bytes !== null && piece.bytes <= MAX_EVIDENCE_BYTES),
  ))
    for (const value of await readValues(db, tenant, portion)) {
      const piece = pieces.get(value.event_id)?.[value.position];
      if (piece && !isValueOf(piece, value.value))
        faults.push({
          chain_seq: seqOf.get(piece.event_id) ?? 0,
          reason: `its evidence ${piece.position} has another value than the log says`,
        });
    }
  return { faults, erased: new Set(all.filter(({ bytes }) => bytes === null).map(({ event_id }) => event_id)) };
}

const Piece = z.object({
  event_id: z.string(),
  position: z.number(),
  kind: z.string(),
  media_type: z.string().nullable(),
  encoding: z.string(),
  label: z.string().nullable(),
  is_object: z.boolean(),
  sha256: z.string(),
  bytes: z.number().nullable(),
});
type Piece = z.infer<typeof Piece>;

const readPieces = (db: Db, { org_id, environment }: Tenant, events: readonly Evidenced[]) =>
  db.any(sql.type(Piece)`
    select event_id, position, kind, media_type, encoding, label, is_object, encode(sha256, 'hex') as sha256, octet_length(value) as bytes
    from evidence where org_id = ${org_id} and environment = ${environment} and event_id = any(${columnOf(events, 'id', 'text')})
    order by event_id, position`);

function erasureFault(erased: readonly number[], pieces: readonly Piece[]): string | null {
  const back = pieces.find(({ position, bytes }) => bytes !== null && erased.includes(position));
  return back ? `its evidence ${back.position} has a value, and an erasure says that it was removed` : null;
}

function descriptionFault({ evidence = [] }: StoredInput, pieces: readonly Piece[]): string | null {
  if (pieces.length < evidence.length) return 'a piece of its evidence is missing';
  if (pieces.length > evidence.length) return 'it has evidence that its input does not name';
  for (const [position, said] of evidence.entries()) {
    const piece = pieces[position];
    const isSame =
      piece?.position === position &&
      piece.kind === said.kind &&
      piece.media_type === (said.media_type ?? null) &&
      piece.encoding === said.encoding &&
      piece.label === (said.label ?? null) &&
      piece.sha256 === said.value;
    if (!isSame) return `its evidence ${position} is not what its input names`;
    if (piece.bytes !== null && piece.bytes > MAX_EVIDENCE_BYTES)
      return `its evidence ${position} has another value than the log says`;
  }
  return null;
}

const Value = z.object({ event_id: z.string(), position: z.number(), value: z.string() });

const readValues = (db: Db, { org_id, environment }: Tenant, pieces: readonly Piece[]) =>
  db.any(sql.type(Value)`
    select v.event_id, v.position, v.value from evidence v
    join ${tableOf('w', pieces, { event_id: 'text', position: 'int2' })} using (event_id, position)
    where v.org_id = ${org_id} and v.environment = ${environment} and v.value is not null`);

/** As it was hashed on arrival: an object in canonical form, base64 decoded and in its one valid form. */
function isValueOf({ encoding, is_object, sha256 }: Piece, value: string): boolean {
  if (is_object) return encoding === 'utf8' && isCanonicalObject(value) && hash('sha256', value) === sha256;
  const decoded = encoding === 'base64' ? Buffer.from(value, 'base64') : value;
  if (typeof decoded !== 'string' && decoded.toString('base64') !== value) return false;
  return hash('sha256', decoded) === sha256;
}

function isCanonicalObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) && canonicalJson(value) === text;
  } catch {
    return false;
  }
}
