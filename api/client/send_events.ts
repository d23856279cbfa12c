import { type ErrorDetail, errorOf, OversightError } from './error.ts';
import type { ClientRequest, Reply } from './request.ts';

/**
 * An event on its way. `json` is one JSON object, sent as it is (its brackets and quotes close where it ends, or it harms its neighbors); what one `agent` does arrives in the order in which it is given, and
 * what has no agent in any order. An event that is `refused` already is not sent, and comes back in its place.
 */
export type Outgoing = { json: string; agent?: string; refused?: Refusal };

/** Why an event was refused. `details` say where in the event, as RFC 6901 pointers. */
export type Refusal = { code: string; message: string; details?: ErrorDetail[] };

/**
 * The outcome of an event. A `duplicate` was stored before, perhaps by an attempt whose answer was lost; `error` says why it was refused.
 */
export type Outcome<E extends Outgoing> = { event: E; status: Status; chain_seq?: number; error?: Refusal };
export type Status = 'accepted' | 'duplicate' | 'conflict' | 'rejected';

export type Sending = {
  /** How many requests run at once. */
  flights?: number;
  /** How many events a request contains; the service takes 1,000. */
  batch?: number;
  /** How long a batch is retried without a successful answer, in milliseconds; the client's when omitted, or else 15 minutes. */
  patience?: number;
};

const PATIENCE = 15 * 60 * 1_000;
/** How long to retry events that fail while the service accepts others. */
const SUSPECTS_PATIENCE = 10_000;
/** The most bytes in a body, and those of it that are not events: `{"events":[` and `]}`. */
const MOST_BYTES = 1_048_576;
const FRAME_BYTES = 13;
/** How many rounds of events may be in progress or waiting for an earlier one. */
const MOST_ROUNDS = 2;

/**
 * Sends events to the service in batches, several at a time, and retries for as long as patience lasts: by their ids, no event is stored
 * twice.
 *
 * `createSendEvents(…)(pieces)` sends the events of `pieces`, arrays of any size, and yields their outcomes in order. It never waits for
 * more events: what has been read is sent as soon as nothing is in progress. If `pieces` throws, what came before is sent first. Throws
 * OversightError if the service does not know the key, or has not answered for too long; events in progress may then be stored.
 */
export function createSendEvents(
  request: (asked: ClientRequest) => Promise<Reply>,
  url: string,
  { flights = 4, batch = 500, patience = PATIENCE }: Sending = {},
) {
  let most_bytes = MOST_BYTES - FRAME_BYTES;
  /** An event that was accepted, which can be sent again without being stored again. */
  let accepted: Outgoing | undefined;
  const post = (events: readonly Outgoing[], within: number) =>
    request({
      method: 'POST',
      path: '/v1/events',
      lane: 'POST /v1/events',
      text: `{"events":[${jsonOf(events)}]}`,
      repeatable: true,
      patience: within,
    });

  /** Sends events that fit into one body. A batch refused as a whole is sent in halves, until it is clear which event is at fault. */
  async function sendBatch<E extends Outgoing>(events: readonly E[], within = patience): Promise<Outcome<E>[]> {
    const reply = await post(events, within).catch((thrown: unknown) => {
      // A service that asks to wait has not looked at the events.
      if (thrown instanceof OversightError && ![429, 503].includes(thrown.status)) return thrown;
      throw thrown;
    });
    if (reply instanceof OversightError) return sendApart(events, reply);
    const { status, body } = reply;
    if (status === 200) {
      const outcomes = outcomesOf(events, body);
      accepted = outcomes.find(each => each.status === 'accepted' || each.status === 'duplicate')?.event ?? accepted;
      return outcomes;
    }
    const [event] = events;
    // A refusal not in the service's own form comes from something in between.
    const is_own = status === 413 || refusalOf(body) !== undefined;
    if (!is_own) return sendApart(events, errorOf(reply, url));
    if (![400, 413, 422].includes(status) || !event) throw errorOf(reply, url);
    if (events.length === 1) return [{ event, status: 'rejected', error: refusalOf(body) ?? unclear(status) }];
    const broken = status === 400 ? events.filter(each => !isJson(each.json)) : [];
    if (broken.length > 0) return sendWithout(events, new Set(broken));
    // A proxy in between may accept less than the service.
    if (status === 413) most_bytes = Math.max(1, Math.min(most_bytes, Math.floor(bytesOf(events) / 2)));
    const middle = Math.ceil(events.length / 2);
    return [...(await sendBatch(events.slice(0, middle))), ...(await sendBatch(events.slice(middle)))];
  }

  /**
   * Sends in halves a batch that failed as a whole although the service accepts others, so that one event that breaks the service or
   * something in between does not hold up the rest. Throws if others fail too: then the events are not at fault.
   */
  async function sendApart<E extends Outgoing>(events: readonly E[], error: OversightError): Promise<Outcome<E>[]> {
    if (!(await isTaking())) throw error;
    const [event] = events;
    if (event && events.length === 1 && accepted) return [{ event, status: 'rejected', error: unclear(error.status) }];
    if (events.length <= 1) throw error;
    const within = accepted ? Math.min(patience, SUSPECTS_PATIENCE) : 0;
    const middle = Math.ceil(events.length / 2);
    const [first, second] = [events.slice(0, middle), events.slice(middle)];
    const before = await sendBatch(first, within).catch(() => null);
    const after = await sendBatch(second, within);
    // The second half has shown that events are accepted.
    return [...(before ?? (await sendBatch(first, within))), ...after];
  }

  /** Whether the service accepts an event that it accepted before; without one, whether it refuses none in its own form. */
  async function isTaking(): Promise<boolean> {
    const reply = await post(accepted ? [accepted] : [], 0).catch(() => null);
    return (
      reply?.status === 200 ||
      (!accepted && refusalOf(reply?.body) !== undefined && [400, 422].includes(reply?.status ?? 0))
    );
  }

  /** One event that is not JSON spoils the whole body; halving would be slow to find many of them. */
  async function sendWithout<E extends Outgoing>(events: readonly E[], broken: ReadonlySet<E>): Promise<Outcome<E>[]> {
    const sound = events.filter(event => !broken.has(event));
    const outcomes = new Map((sound.length > 0 ? await sendBatch(sound) : []).map(each => [each.event, each]));
    const error = { code: 'malformed_json', message: 'It is not JSON.' };
    return events.map(event => outcomes.get(event) ?? { event, status: 'rejected', error });
  }

  /** Sends a round of events, each agent's in a lane, where one batch follows the other. */
  async function sendRound<E extends Outgoing>(events: readonly E[], lanes: Promise<void>[]): Promise<Outcome<E>[]> {
    const outcomes: Outcome<E>[] = [];
    const shares = lanes.map((): number[] => []);
    for (const [index, event] of events.entries()) {
      const { json, agent, refused = tooLarge(json) } = event;
      if (refused) outcomes[index] = { event, status: 'rejected', error: refused };
      else shares[agent ? laneOf(agent, flights) : index % flights]?.push(index);
    }
    const sent = shares.map((share, lane) => {
      const before = lanes[lane];
      const sendShare = async () => {
        await before;
        for (const part of partsOf(share, index => events[index]?.json ?? '', batch, most_bytes)) {
          const answered = await sendBatch(part.flatMap(index => events[index] ?? []));
          for (const [at, outcome] of answered.entries()) outcomes[part[at] ?? 0] = outcome;
        }
      };
      const after = sendShare();
      // Whoever waits for the round gets the error.
      after.catch(() => {});
      lanes[lane] = after;
      return after;
    });
    await Promise.all(sent);
    return outcomes;
  }

  return sendAll;

  async function* sendAll<E extends Outgoing>(
    pieces: AsyncIterable<readonly E[]> | Iterable<readonly E[]>,
  ): AsyncGenerator<Outcome<E>[], void, undefined> {
    const lanes = Array.from({ length: flights }, () => Promise.resolve());
    const whole = Math.floor(flights * batch * 0.9);
    const rounds: Promise<Outcome<E>[]>[] = [];
    let waiting: E[] = [];
    let reading: Promise<readonly E[] | null> | null = null;
    let failure: { thrown: unknown } | null = null;
    let over = false;
    const next = readerOf(pieces);
    while (!over || waiting.length > 0 || rounds.length > 0) {
      const is_due = waiting.length >= whole || (waiting.length > 0 && (over || rounds.length === 0));
      if (is_due && rounds.length < MOST_ROUNDS) {
        const round = sendRound(waiting.slice(0, whole), lanes);
        round.catch(() => {});
        rounds.push(round);
        waiting = waiting.slice(whole);
        continue;
      }
      if (!over && waiting.length < whole) reading ??= next();
      const [first] = rounds;
      const came = await Promise.race([
        ...(reading
          ? [
              reading.then(
                piece => ({ piece }),
                (thrown: unknown) => ({ thrown }),
              ),
            ]
          : []),
        ...(first ? [first.then(outcomes => ({ outcomes }))] : []),
      ]);
      if ('outcomes' in came) {
        rounds.shift();
        yield came.outcomes;
        continue;
      }
      reading = null;
      if ('thrown' in came) failure = came;
      if ('piece' in came && came.piece) waiting = waiting.concat(came.piece);
      else over = true;
    }
    if (failure) throw failure.thrown;
  }
}

/** The next piece at each call; null when there is none. */
function readerOf<E>(pieces: AsyncIterable<readonly E[]> | Iterable<readonly E[]>) {
  const iterator = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  return async (): Promise<readonly E[] | null> => {
    const { done, value } = await iterator.next();
    return done ? null : value;
  };
}

const jsonOf = (events: readonly Outgoing[]): string => events.map(({ json }) => json).join(',');
const bytesOf = (events: readonly Outgoing[]): number => byteLength(jsonOf(events));

const tooLarge = (json: string): Refusal | undefined =>
  json.length > (MOST_BYTES - FRAME_BYTES) / 3 && byteLength(json) > MOST_BYTES - FRAME_BYTES
    ? { code: 'payload_too_large', message: 'The event is larger than a request may be (1 MB).' }
    : undefined;

const encoder = new TextEncoder();
const byteLength = (text: string): number => encoder.encode(text).byteLength;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The same agent has the same lane in every round. */
function laneOf(agent: string, lanes: number): number {
  let hash = 0;
  for (let at = 0; at < agent.length; at += 1) hash = (Math.imul(hash, 31) + agent.charCodeAt(at)) | 0;
  return (hash >>> 0) % lanes;
}

/** Cuts an ordered list into parts of about equal size, none with too many members or bytes (a single member may have more). */
function partsOf<M>(members: readonly M[], json: (member: M) => string, most: number, most_bytes: number): M[][] {
  const each = Math.ceil(members.length / Math.ceil(members.length / most));
  const parts: M[][] = [];
  let bytes = 0;
  for (const member of members) {
    const size = byteLength(json(member)) + 1;
    const last = parts.at(-1);
    if (last && last.length < each && bytes + size <= most_bytes) last.push(member);
    else parts.push([member]);
    bytes = parts.at(-1) === last ? bytes + size : size;
  }
  return parts;
}

type Body = { error?: Refusal; results?: { status: Status; chain_seq?: number; error?: Refusal }[] } | null;

function outcomesOf<E extends Outgoing>(events: readonly E[], body: unknown): Outcome<E>[] {
  const results = (body as Body)?.results;
  if (!Array.isArray(results) || results.length !== events.length)
    throw new OversightError('unprocessable', 'The service did not answer for every event of a batch.');
  return events.flatMap((event, index) => {
    const result = results[index];
    if (!result) return [];
    const { status, chain_seq } = result;
    const error = result.error && inEvent(result.error);
    return [{ event, status, ...(chain_seq !== undefined && { chain_seq }), ...(error && { error }) }];
  });
}

const refusalOf = (body: unknown): Refusal | undefined => {
  const error = (body as Body)?.error;
  return error && inEvent(error);
};

const unclear = (status: number): Refusal => ({
  code: 'unprocessable',
  message:
    status === 0 ? 'It was not answered, and others were.' : `It was answered with ${status}, and others were not.`,
});

/** The service's pointers go into the body; these go into the event. */
const inEvent = ({ code, message, details }: Refusal): Refusal => ({
  code,
  message,
  ...(details && { details: details.map(each => ({ ...each, path: each.path.replace(/^\/events\/\d+/, '') })) }),
});
