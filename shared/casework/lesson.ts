import { z } from 'zod';
import { plainSubject } from './episode_subject.ts';
import { Id } from '#shared/interface/ids.ts';
import { Timestamp } from '#shared/interface/schemas.ts';
import { sql, timeText } from '#shared/platform/db.ts';
import { HOUR } from '#shared/values/time.ts';

/** What people taught by closing alerts: how much more, or less, frequent similar findings are now taken to be. */
export const Lesson = z
  .object({
    id: Id('lsn'),
    detector: z.string(),
    agent_id: Id('agt').nullable().meta({ description: 'the agent that the alerts were about; null: whichever agent' }),
    aspect: z.enum(['payee', 'hours']).meta({ description: 'what is alike: whom the agent pays, or when in the day' }),
    subject: z.string().meta({ description: '`pye_…`, or a part of the day in UTC such as `06-12`' }),
    factor: z.number().meta({
      description:
        'the like of it by that agent counts as so many times as common as its record says: 3 for each dismissal, a third for each resolution, from 1/9 to 27. What was resolved is left out of the payments that its amounts, spending and pace are compared with. What a rule finds of less than $1,000 scores 20 less after a dismissal, and 20 more for each resolution',
    }),
    peers_factor: z
      .number()
      .nullable()
      .meta({ description: 'likewise by other agents of its owner: 1.5 for each dismissal; null: there are none' }),
    dismissals: z.int().meta({ description: 'how many alerts were dismissed' }),
    resolutions: z.int().meta({ description: 'how many were resolved: they were justified' }),
    last_at: Timestamp.meta({ description: 'when the latest of them was closed' }),
  })
  .meta({ id: 'Lesson' });
export type Lesson = z.infer<typeof Lesson>;

/** Rules whose findings teach: what they find may be meant, again and again. */
export const rulesThatLearn: readonly string[] = ['duplicate_payment', 'runaway_loop'];

export const FACTOR = 3;
const PEERS_FACTOR = 1.5;
/** How often lessons about the same thing count, so that extreme findings are still reported. */
const MOST = 3;
const LEAST = -2;

/** All lessons together change an expected frequency by at most this factor. */
export const mostFactor = FACTOR ** MOST;
export const leastFactor = FACTOR ** LEAST;

// Looked up in less than 0.1 µs; a power of numeric takes 0.5 to 0.9 µs. Lessons are read with every range of events.
const factorColumn = (base: number) => {
  const factors = Array.from({ length: MOST - LEAST + 1 }, (_, index) => Number((base ** (LEAST + index)).toFixed(3)));
  return sql.fragment`(${sql.array(factors, 'float8')})[${1 - LEAST}::int + greatest(${LEAST}, least(${MOST}, l.dismissals - l.resolutions))]`;
};

/** The weight of a lesson, for a table or alias `l`. */
export const factorColumns = sql.fragment`${factorColumn(FACTOR)} as factor, ${factorColumn(PEERS_FACTOR)} as peers_factor`;

/** The columns of a lesson, for a table or alias `l`. */
export const lessonColumns = sql.fragment`l.id, l.detector, nullif(l.agent_id, '') as agent_id,
  split_part(l.aspect, ':', 1) as aspect, split_part(l.aspect, ':', 2) as subject, ${factorColumn(FACTOR)} as factor,
  case when l.owner_id <> '' then ${factorColumn(PEERS_FACTOR)} end as peers_factor, l.dismissals, l.resolutions,
  ${timeText(sql.fragment`l.last_at`)} as last_at`;

const BAND = 6 * HOUR;

/**
 * What findings share with similar ones: the payee, or else the quarter of the day (UTC). As stored: `payee:pye_…` or
 * `hours:06-12`.
 */
export function aspectOf({ detector, subject, at }: { detector: string; subject: string; at: number }): string {
  const payee = plainSubject(subject);
  if (payee !== '' && !alwaysNew.has(detector)) return `payee:${payee}`;
  const band = Math.floor((at % (24 * HOUR)) / BAND);
  return `hours:${hourText(band * 6)}-${hourText(band * 6 + 6)}`;
}

/** A payee or country is new to the agent only once: similar findings are about other new ones. */
const alwaysNew = new Set(['new_payee_high_amount', 'country_change']);

const hourText = (hour: number) => String(hour).padStart(2, '0');
