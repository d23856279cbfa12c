import { z } from 'zod';
import { DAY } from '#shared/values/time.ts';

/** An agent and a payee, as numbers, and a day. */
const Occasion = z.tuple([z.number(), z.number(), z.number()]);
type Occasion = z.infer<typeof Occasion>;

/**
 * What an organization's agents have done of late that looks like a mistake and may be how things are done there: the latest occasions, by what it was
 * and from how much on. Of a day only some are kept, so that it takes several, and of one agent and payee one.
 */
export const SeenOften = z.record(z.string(), z.array(Occasion));
export type SeenOften = z.infer<typeof SeenOften>;

const [MOST, MOST_OF_DAY, REMEMBERED] = [24, 6, 20];
/** Where an agent may make a thing usual for itself, there is room for several of them: so many occasions, of a day, and of an agent on a day. */
const OF_AGENTS = { most: 48, of_day: 10, of_agent: 2 };
/** So many occasions, by so many agents and at so many payees, make a thing usual: one agent or payee says nothing of the others. */
const [LEAST, LEAST_EACH] = [5, 3];

/** Who did it, when (milliseconds since 1970), and how much of what it is counted by, in steps: usual is what was seen with as much of each. */
export type Deed = { agent_id: string; payee_id: string; at: number; steps: readonly number[] };

/**
 * Whether what agents do with a payment is usual, on so many days of the last twenty, at several payees or, `at_payee`, at this one; or, `by_agent`, what
 * this one does at several payees and on more days. Notes one more. Changes `seen`.
 */
export function isUsualHere(
  seen: SeenOften,
  kind: string,
  { agent_id, payee_id, at, steps }: Deed,
  { days = 2, at_payee = false, by_agent = false }: { days?: number; at_payee?: boolean; by_agent?: boolean } = {},
): boolean {
  const [day, agent, payee] = [Math.floor(at / DAY), numberOf(agent_id), numberOf(payee_id)];
  const known = Object.entries(seen).flatMap(([key, list]) => {
    const [other_kind, ...others] = key.split(':');
    const isAsMuch = other_kind === kind && steps.every((step, index) => Number(others[index]) >= step);
    return isAsMuch ? list.filter(([, , when]) => Math.abs(day - when) <= REMEMBERED) : [];
  });
  const room = by_agent ? OF_AGENTS : { most: MOST, of_day: MOST_OF_DAY, of_agent: MOST_OF_DAY };
  note((seen[[kind, ...steps].join(':')] ??= []), [agent, payee, day], room);
  const isOften = (occasions: readonly Occasion[], least_of: Occasion) =>
    occasions.length >= LEAST &&
    least_of.every((least, place) => new Set(occasions.map(occasion => occasion[place])).size >= least);
  const ofPayee = () => known.filter(([, whom]) => whom === payee);
  const ofAgent = () => known.filter(([who]) => who === agent);
  return (
    isOften(known, [LEAST_EACH, LEAST_EACH, days]) ||
    (at_payee && isOften(ofPayee(), [LEAST_EACH, 1, days])) ||
    (by_agent && isOften(ofAgent(), [1, LEAST_EACH, days + 1]))
  );
}

function note(list: Occasion[], [agent, payee, day]: Occasion, { most, of_day, of_agent }: typeof OF_AGENTS): void {
  const today = list.filter(([, , when]) => when === day);
  const own = today.filter(([who]) => who === agent);
  if (today.length >= of_day || own.length >= of_agent || own.some(([, whom]) => whom === payee)) return;
  list.push([agent, payee, day]);
  if (list.length > most) list.shift();
}

/** How many of these a value reaches, in order. */
export const stepOf = (steps: readonly number[], value: number): number => steps.filter(step => value >= step).length;

/** A number of an id: two have the same one seldom. */
function numberOf(id: string): number {
  let number = 0;
  for (let index = 0; index < id.length; index += 1) number = (number * 31 + id.charCodeAt(index)) % 65_521;
  return number;
}
