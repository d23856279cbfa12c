import { join } from 'node:path';
import { createBacklogs } from './backlogs.ts';
import { type BodyHold, createBodies } from './bodies.ts';
import { createDisk } from './disk.ts';
import { createTurns } from './turns.ts';
import { readBacklogs } from '#shared/detection/consumer/backlog.ts';
import { Problem } from '#shared/interface/errors.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import { counted } from '#shared/packs/report/words.ts';
import { SECOND } from '#shared/values/time.ts';

/** Keeps the service from accepting more than it can handle. */
export type Pressure = {
  /** Puts into the headers what a log can still take. Throws `rate_limited` or `unavailable` when it can take nothing. */
  admitEvents(tenant: Tenant, answer: { append(name: string, value: string): void }): Promise<void>;
  /** Called when a log took events. */
  tookEvents(tenant: Tenant, events: number): void;
  /** Starts a body for an organization, or for all senders without credentials. */
  beginBody(holder: string): Body;
  /** The same for an answer, until it has been read. */
  beginAnswer(holder: string): Body;
  /** The turn of a request of this holder, not yet begun. */
  turnOf(holder: string): Turn;
  close(): void;
};

/** A body, while it is in memory. */
export type Body = Omit<BodyHold, 'take'> & {
  /** Takes this many more bytes. Throws `unavailable` when there is no room for them. */
  take(bytes: number): void;
};

/** A request's place among those being processed. */
export type Turn = {
  /**
   * Waits for a place for a request with a body of this size; keeps a place it already has. Throws `rate_limited` when too many are
   * waiting.
   */
  begin(bytes?: number): Promise<void>;
  /** Frees the place, if there is one. */
  end(): void;
};

const LOOK_EVERY = SECOND;
/** A request takes one more place for each of this many bytes of body: a large batch takes five of ten. */
const BYTES_A_PLACE = 262_144;
/** How many requests of a holder may wait for a place. */
const MOST_WAITING = 500;
/** How soon to retry, in seconds, for want of room for a body or an answer, of a place, or of disk space. */
const WAIT = { body: 1, answer: 1, turn: 1, disk: 60 };

export function createPressure({ config, db, log, metrics, now }: Services): Pressure {
  const { behind, disk: least_free, is_disk_set: is_set, bodies: most_bytes } = config.backpressure;
  const backlogs = createBacklogs(behind, tenants => readBacklogs(db, tenants));
  const bodies = createBodies(most_bytes);
  const answers = createBodies(most_bytes);
  // As many as there are database connections, so that nobody waits for one behind another organization.
  const turns = createTurns(config.database_pool, MOST_WAITING);
  // We cannot see the disk of another server; when it reports being full, the response is the same.
  const least = config.database_url ? 0 : least_free;
  const disk = createDisk(join(config.data_dir, 'postgres'), { least, is_set }, log, { now });

  let looking = false;
  async function look() {
    if (looking) return;
    looking = true;
    try {
      metrics.analysisWait.set(await backlogs.look());
    } catch (error) {
      log.debug({ error }, 'backlogs not read');
    }
    looking = false;
  }
  const timer = setInterval(look, LOOK_EVERY).unref();

  const refuse = (
    reason: 'analysis' | 'disk' | 'bodies' | 'answers' | 'turns',
    message: string,
    seconds: number,
  ): never => {
    metrics.requestsRefused.inc({ reason });
    const headers = { 'Retry-After': String(seconds) };
    const code = reason === 'analysis' || reason === 'turns' ? 'rate_limited' : 'unavailable';
    throw new Problem(code, message, { headers, quiet: true });
  };

  const taking = ({ take, ...rest }: BodyHold, refused: () => void): Body => ({
    take: bytes => void (take(bytes) || refused()),
    ...rest,
  });
  const noBody = () => refuse('bodies', 'The service has too much in hand at the moment. Try again.', WAIT.body);
  const noAnswer = () => refuse('answers', 'Too many answers wait to be read. Read them, then try again.', WAIT.answer);

  return {
    async admitEvents(tenant, answer) {
      const standing = backlogs.standingOf(tenant);
      if (standing) {
        const { quota, room, seconds } = standing;
        answer.append('RateLimit-Policy', `"analysis";q=${quota};w=${behind};qu="events"`);
        answer.append('RateLimit', `"analysis";r=${room};t=${seconds}`);
        if (room === 0)
          refuse(
            'analysis',
            `Your log is ${counted(behind, 'second')} ahead of its analysis. Retry-After says when to go on.`,
            seconds,
          );
      }
      if (await disk.isShort())
        refuse('disk', 'The disk of the database is nearly full: no events are taken.', WAIT.disk);
    },
    tookEvents: backlogs.add,
    beginBody: holder => taking(bodies.begin(holder), noBody),
    beginAnswer: holder => taking(answers.begin(holder), noAnswer),
    turnOf(holder) {
      let held: { release(): void } | null = null;
      return {
        async begin(bytes = 0) {
          if (held) return;
          const place = turns.take(holder, 1 + Math.floor(bytes / BYTES_A_PLACE));
          held = await (place ?? refuse('turns', 'Too many requests at the same time wait to be answered.', WAIT.turn));
        },
        end() {
          held?.release();
          held = null;
        },
      };
    },
    close: () => clearInterval(timer),
  };
}
