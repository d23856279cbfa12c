import type { ExecutionContext } from 'ava';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { event, type EventOptions } from './make.ts';
import { ownerOf } from './owner.ts';
import { world } from './world.ts';

/** A world with ways to send events, to sign its log, and to do what only the owner of the database may. */
export async function signedLog(t: ExecutionContext, settings: Record<string, string> = {}) {
  const here = await world(t, { settings, own_database: true });
  const { as, services, tenant, database } = here;
  return {
    ...here,
    asOwner: await ownerOf(t, database),
    /** Sends so many events, alike but for their ids; answers with these, in order. */
    async send(count: number, options: EventOptions = {}): Promise<string[]> {
      const events = Array.from({ length: count }, () => event(options));
      const { status, body } = await as.post('/v1/events', { events });
      t.is(status, 200);
      t.is(body.accepted, count, JSON.stringify(body));
      return events.map(({ id }) => id);
    },
    publish: (options = {}) => publishCheckpoint(services, tenant, options),
  };
}
