import type { ExecutionContext } from 'ava';
import { verifyLog } from '#shared/ledger/verify/verify_log.ts';
import { verifyRange } from '#shared/ledger/verify/verify_range.ts';
import { fullEvent } from './inhabit.ts';
import { event } from './make.ts';
import { signedLog } from './signed_log.ts';

/** How long the log is, where it was signed before, and the events that have every member there is: a column of the first is changed. */
export const SIZE = 20;
export const SIGNED = 8;
export const FULL = 7;
export const OTHER = 12;

const tables = [
  'event_logs',
  'events',
  'evidence',
  'signed_inputs',
  'agents',
  'owners',
  'payees',
  'log_tiles',
  'log_trees',
  'log_checkpoints',
  'log_signing_keys',
];

/** A log that was signed twice, beside one of another organization; what is done to it in the database is undone after it was verified. */
export async function tampering(t: ExecutionContext) {
  const here = await signedLog(t);
  const { as, send, publish, services, tenant, organization, key, client, asOwner } = here;
  const rival = client((await key((await organization('Rival')).id)).key);
  await rival.post('/v1/events', { events: [fullEvent({ agent: 'rival' }), event()] });
  const full = async (options = {}) => t.is((await as.post('/v1/events', fullEvent(options))).status, 201);
  await send(FULL - 1);
  await full();
  await send(SIGNED - FULL);
  await publish();
  await send(OTHER - SIGNED - 1);
  await full({ agent: 'agent-2', payee: 'domain:b.example.com' });
  await send(SIZE - OTHER, { agent: 'agent-3', currency: 'EUR' });
  await publish();
  const verify = () => verifyLog(services, tenant);
  t.like(await verify(), { size: SIZE, checked: SIZE, flaw: null });
  for (const table of tables) await asOwner(`create temp table kept_${table} as table ${table}`);
  const undo = tables.map(table => `delete from ${table}; insert into ${table} table kept_${table};`).join('\n');
  return {
    ...here,
    verify,
    /** Does something as the owner of the database, to rows of this log (`mine`), and answers with what verification says of it. */
    async after(statement: string | (() => Promise<unknown>), from_seq = 1, to_seq = SIZE) {
      if (typeof statement === 'function') await statement();
      else t.true((await asOwner(statement.replaceAll('mine', `org_id = '${tenant.org_id}'`))) > 0, statement);
      const { flaw } = await verify();
      const part = await verifyRange(services, tenant, { from_seq, to_seq });
      await asOwner(undo);
      return { seq: flaw?.seq, reason: flaw?.reason ?? '', flaw, part: part.flaw, checked: part.checked };
    },
  };
}
