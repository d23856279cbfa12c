import { OversightError } from './error.ts';
import { createEventId } from './ids.ts';
import { errorFrom, tell } from './listeners.ts';
import type { BodyOf } from './call.ts';
import type { Outcome, Outgoing } from './send_events.ts';

/** An event as `POST /v1/events` takes it, with or without an id. */
export type NewEvent = WithoutId<SentEvent> & { id?: string };
export type SentEvent = Extract<BodyOf<'POST /v1/events'>, { id: string }>;
export type EvidencePiece = { kind: string; value: string };
type WithoutId<E> = E extends unknown ? Omit<E, 'id'> : never;

type Buffered = Outgoing & { id: string };

export type BufferOptions = {
  /** Events are sent as soon as this many are waiting, or this many bytes, or the first has waited this many milliseconds. */
  most_events?: number;
  most_bytes?: number;
  within?: number;
  /** How many events may be unanswered (and 64 MB of them): beyond that, `add` waits, or drops the event if told to. */
  room?: number;
  full?: 'wait' | 'drop';
  /** Called with the outcome of each event. */
  onOutcome?: (outcome: Outcome<Buffered>) => void;
  /** Called with an event that was dropped for lack of room. */
  onDrop?: (event: NewEvent) => void;
  /** Called when no events are accepted at present; they are kept and sent again. */
  onError?: (error: Error) => void;
};

export type EventBuffer = {
  /**
   * Takes an event, or a promise of one (null: there is none), and adds an id if it has none. Returns the id once there is room for the
   * event; null if it was dropped. `heard` is called with its outcome, like `onOutcome`.
   */
  add(event: NewEvent | Promise<NewEvent | null>, heard?: BufferOptions['onOutcome']): Promise<string | null>;
  /** Sends everything added, and returns when all of it is answered. Throws OversightError if the service does not accept it now. */
  flush(): Promise<void>;
  /** Flushes, and takes no more events. What could not be sent is given up. */
  close(): Promise<void>;
  /** How many events are unanswered, including those still being made. */
  waiting(): number;
};

type SendAll = (pieces: AsyncIterable<readonly Buffered[]>) => AsyncIterable<Outcome<Buffered>[]>;

const ROOM = 10_000;
const ROOM_BYTES = 64_000_000;
/** How many milliseconds to wait before retrying what could not be sent. */
const REST = 5_000;

/**
 * Collects events and sends them in batches, in the background. Each has an id from the start, so that one sent twice is stored once.
 * Events in the buffer are lost when the process is killed: `close` it first. Exceptions in listeners stop nothing; `onError` is called
 * with them. `signal` gives up what is waiting.
 */
export function createEventBuffer(sendAll: SendAll, options: BufferOptions = {}, signal?: AbortSignal): EventBuffer {
  const { most_events = 500, most_bytes = 500_000, within = 1_000, room = ROOM, full = 'wait' } = options;
  const { onOutcome, onDrop, onError } = options;
  const coming = new Set<symbol>();
  const unanswered = new Map<Buffered, BufferOptions['onOutcome']>();
  const news = createBell();
  const answers = createBell();
  const hurry = createBell();
  let unread: Buffered[] = [];
  let unread_bytes = 0;
  let unanswered_bytes = 0;
  let flushing = 0;
  let is_due = false;
  let closed = false;
  let stopped = false;
  let running = false;
  let failures = 0;
  let failure: Error | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const enqueue = (event: Buffered) => {
    if (unread.length === 0)
      timer = setTimeout(() => {
        is_due = true;
        news.ring();
      }, within);
    unread.push(event);
    unread_bytes += event.json.length;
    if (unread.length >= most_events || unread_bytes >= most_bytes) is_due = true;
    if (is_due || flushing > 0) news.ring();
  };
  const isFull = (json: string) =>
    unanswered.size >= room || (unanswered.size > 0 && unanswered_bytes + json.length > ROOM_BYTES);
  async function* readEvents(reader: { over: boolean }) {
    for (;;) {
      while (!reader.over && !(unread.length > 0 && (is_due || flushing > 0))) {
        if (unanswered.size === 0) return;
        await news.rung();
      }
      // Nobody would send what a reader takes after its sending has failed.
      if (reader.over) return;
      clearTimeout(timer);
      const piece = unread;
      [unread, unread_bytes, is_due] = [[], 0, false];
      yield piece;
    }
  }
  const take = (outcome: Outcome<Buffered>) => {
    failure = null;
    const heard = unanswered.get(outcome.event);
    if (unanswered.delete(outcome.event)) unanswered_bytes -= outcome.event.json.length;
    if (unanswered.size === 0) news.ring();
    answers.ring();
    tell(heard, outcome, onError);
    tell(onOutcome, outcome, onError);
  };
  const run = async () => {
    running = true;
    try {
      while (unanswered.size > 0 && !stopped) {
        const reader = { over: false };
        try {
          for await (const outcomes of sendAll(readEvents(reader))) outcomes.forEach(take);
        } catch (thrown) {
          reader.over = true;
          failure = errorFrom(thrown);
          failures += 1;
          [unread, is_due] = [[...unanswered.keys()], true];
          if (signal?.aborted) [closed, stopped] = [true, true];
          answers.ring();
          news.ring();
          tell(onError, failure);
          if (!stopped) await Promise.race([rest(), hurry.rung()]);
        }
      }
    } finally {
      running = false;
    }
  };
  const flush = async () => {
    const failures_before = failures;
    const until = async (isOver: () => boolean) => {
      while (!isOver()) {
        if (stopped) throw failure ?? closedError();
        await answers.rung();
        if (failure && failures > failures_before) throw failure;
      }
    };
    flushing += 1;
    news.ring();
    hurry.ring();
    try {
      const adding = [...coming];
      await until(() => !adding.some(each => coming.has(each)));
      const last = [...unanswered.keys()].at(-1);
      await until(() => !last || !unanswered.has(last));
    } finally {
      flushing -= 1;
    }
  };
  const takeIn = async (event: NewEvent, heard: BufferOptions['onOutcome']) => {
    const id = event.id ?? createEventId();
    const buffered: Buffered = { id, json: JSON.stringify({ ...event, id }), agent: agentOf(event) };
    if (full === 'drop' && isFull(buffered.json)) {
      tell(onDrop, event, onError);
      return null;
    }
    while (isFull(buffered.json) && !stopped) await answers.rung();
    if (stopped) throw closedError();
    unanswered.set(buffered, heard);
    unanswered_bytes += buffered.json.length;
    enqueue(buffered);
    if (!running) void run();
    return id;
  };
  return {
    async add(promised, heard) {
      const ticket = Symbol();
      if (!closed) coming.add(ticket);
      try {
        const event = await promised;
        if (!coming.has(ticket)) throw closedError();
        return event && (await takeIn(event, heard));
      } finally {
        coming.delete(ticket);
        answers.ring();
      }
    },
    flush,
    async close() {
      closed = true;
      try {
        await flush();
      } finally {
        stopped = true;
        answers.ring();
        hurry.ring();
      }
    },
    waiting: () => coming.size + unanswered.size,
  };
}

const closedError = () => new OversightError('unavailable', 'The buffer of events is closed.');

const agentOf = ({ agent, agent_id }: { agent?: { external_id: string } | undefined; agent_id?: string | undefined }) =>
  agent?.external_id ?? agent_id;

/** A pause that does not keep the process alive. */
const rest = () =>
  new Promise<void>(resolve => {
    const timer: unknown = setTimeout(resolve, REST);
    (timer as { unref?: () => void }).unref?.();
  });

/** Wakes everybody who waits for it. */
function createBell() {
  let waiting: (() => void)[] = [];
  return {
    rung: () => new Promise<void>(resolve => void waiting.push(resolve)),
    ring() {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
  };
}
