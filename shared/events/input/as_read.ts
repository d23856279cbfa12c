import { canonicalJson } from '#shared/json/canonical_json.ts';

/**
 * An event without the members that only the server writes, so that it can be sent as it was read: from the list or by itself, with its
 * evidence. `position` is its chain_seq if it was read; null for a client's own event.
 */
export function withoutServerMembers(sent: unknown): { event: unknown; position: number | null } {
  if (!isObject(sent)) return { event: sent, position: null };
  const { chain_seq, payment, evidence } = sent;
  const event = without(sent, server_members);
  const position = typeof chain_seq === 'number' && chain_seq > 0 ? chain_seq : null;
  const changed: Json = {};
  if (isObject(payment) && 'amount_usd_minor' in payment) changed['payment'] = without(payment, ['amount_usd_minor']);
  if (Array.isArray(evidence) && evidence.some(isStored)) {
    // A client's own event must not lose anything silently.
    const pieces = position === null ? evidence : evidence.filter(piece => !isErased(piece));
    changed['evidence'] = pieces.map(withoutHash);
  }
  return { event: Object.keys(changed).length > 0 ? { ...event, ...changed } : event, position };
}

/** The id that an event was sent with, cut at 64 characters; null if it is no text. */
export function sentId(sent: unknown): string | null {
  const id = isObject(sent) ? sent['id'] : null;
  if (typeof id !== 'string') return null;
  return id.length <= MOST_CHARACTERS
    ? id
    : Array.from(id.slice(0, 2 * MOST_CHARACTERS))
        .slice(0, MOST_CHARACTERS)
        .join('');
}

const MOST_CHARACTERS = 64;

/** Members of an event in responses that clients do not send. */
const server_members = [
  'environment',
  'received_at',
  'chain_seq',
  'payee_id',
  'evidence_count',
  'verification',
  'mandate_evaluation',
  'analyzed_at',
  'amount_usd_minor',
  'usd_rate',
  'event_digest',
  'leaf_hash',
  'verification_runs',
  'mandate_evaluations',
  'input',
  'erasure',
];

/** Whether an event in its normal form adds nothing to the stored one, given its normal form and parties. */
export function isReading(event: string, { input, ...parties }: { input: string } & Parties): boolean {
  const stored: Json = { ...(JSON.parse(input) as Json), ...parties };
  const evidence = new Set(listOf(stored['evidence']).map(piece => canonicalJson(piece)));
  return Object.entries(JSON.parse(event) as Json).every(([name, value]) =>
    name === 'evidence'
      ? listOf(value).every(piece => evidence.has(canonicalJson(piece)))
      : canonicalJson(value) === canonicalJson(stored[name] ?? null),
  );
}

type Parties = { agent_id: string; owner_id: string; source_id: string };

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isStored = (piece: unknown): boolean => isObject(piece) && ('id' in piece || 'sha256' in piece);

/** Whether a stored piece of evidence has only its hash, because its value was erased. */
const isErased = (piece: unknown): boolean =>
  isObject(piece) && piece['value'] === null && piece['sha256'] !== undefined;

/** A piece of evidence as it was sent. */
const withoutHash = (piece: unknown): unknown => (isObject(piece) ? without(piece, ['id', 'sha256']) : piece);

/** Returns the object itself if it has none of these members, which is usual for clients. */
function without(object: Json, names: readonly string[]): Json {
  if (!names.some(name => name in object)) return object;
  const copy = { ...object };
  for (const name of names) delete copy[name];
  return copy;
}
