import { type Db, troubleOfDatabase } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Appended, appendEvents, type LogEntry } from './event_log.ts';

/** Appends to a log, as `appendEvents` does with a database. */
export type Append = (tenant: Tenant, entries: readonly LogEntry[], erasures: number) => Promise<Appended | null>;

type Waiting = { entries: readonly LogEntry[]; erasures: number } & PromiseWithResolvers<Appended | null>;
type Line = { tenant: Tenant; waiting: Waiting[]; writing: number; troubles: number };

/** After so many troubles of the database in a row, those that wait would meet the same one after the other. One may be of one connection. */
const MOST_TROUBLES = 2;

/** Statements on one log at a time: one writes, and the next is in the database when it ends. */
const AT_ONCE = 2;
/** Events of several requests that are written together, at most. */
const MOST_TOGETHER = 1_000;

/**
 * Has the requests of this process stand in line for a log, and writes those that wait together. A log is written by one statement at a time
 * whatever is done, and PostgreSQL lets those that wait for its row overtake one another: of eight batches sent at once one took four times as
 * long as the others, and each held a connection.
 */
export function createAppendLine(db: Db): Append {
  const lines = new Map<string, Line>();
  return (tenant, entries, erasures) => {
    const name = `${tenant.org_id} ${tenant.environment}`;
    const line = lines.get(name) ?? { tenant, waiting: [], writing: 0, troubles: 0 };
    lines.set(name, line);
    const one = { entries, erasures, ...Promise.withResolvers<Appended | null>() };
    line.waiting.push(one);
    const forget = () => line.writing === 0 && lines.get(name) === line && lines.delete(name);
    if (line.writing < AT_ONCE) void writeLine(db, line).then(forget);
    return one.promise;
  };
}

async function writeLine(db: Db, line: Line): Promise<void> {
  line.writing += 1;
  for (let group = nextOf(line); group.length > 0; group = nextOf(line)) {
    const trouble = await write(db, line.tenant, group);
    line.troubles = trouble ? line.troubles + 1 : 0;
    if (line.troubles >= MOST_TROUBLES) for (const one of line.waiting.splice(0)) one.reject(trouble);
  }
  line.writing -= 1;
}

/** Takes from the line who is written next: the first, and those behind it that can be written with it. */
function nextOf({ waiting }: Line): Waiting[] {
  const ids = new Set<string>();
  let size = 0;
  const end = waiting.findIndex(({ entries, erasures }, place) => {
    size += entries.length;
    const isFree = entries.every(({ event }) => !ids.has(event.id));
    for (const { event } of entries) ids.add(event.id);
    return place > 0 && (!isFree || size > MOST_TOGETHER || erasures !== waiting[0]?.erasures);
  });
  return waiting.splice(0, end < 0 ? waiting.length : end);
}

/** Writes these together, or each alone where together they are refused. Returns the trouble of the database that kept it from writing. */
async function write(db: Db, tenant: Tenant, group: readonly Waiting[]): Promise<Error | null> {
  const isAlone = group.length === 1;
  const entries = group.flatMap(one => one.entries);
  const refuse = (error: unknown) => {
    for (const one of group) one.reject(error);
  };
  try {
    const appended = await appendEvents(db, tenant, entries, group[0]?.erasures ?? 0);
    let before = 0;
    for (const one of appended || isAlone ? group : []) {
      one.resolve(appended && { ...appended, first_seq: appended.first_seq + before });
      before += one.entries.length;
    }
    if (appended || isAlone) return null;
  } catch (error) {
    const trouble = error instanceof Error && troubleOfDatabase(error) ? error : null;
    if (trouble || isAlone) {
      refuse(error);
      return trouble;
    }
  }
  for (const one of group) {
    const trouble = await write(db, tenant, [one]);
    if (!trouble) continue;
    refuse(trouble);
    return trouble;
  }
  return null;
}
