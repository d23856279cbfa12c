import { createServer } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { createClient } from '#api/client/client.ts';
import { sql } from '#shared/platform/db.ts';
import { listening } from '#test/helpers/listening.ts';
import { world } from '#test/helpers/world.ts';
import { z } from 'zod';
import { generate } from '#bin/demo/generate.ts';
import { readAlerts, replay, untilAnalyzed } from '#bin/demo/replay.ts';

test('a replay stores every event once although answers get lost on the way', async t => {
  const { api, full, db, analyze } = await world(t, { own_database: true });
  const events = ofAgents.slice(-1_500);
  const front = await unreliable(t, api.address);
  const client = createClient({ url: front.address, key: full.key, events: { batch: 200 } });
  const sent: number[] = [];
  const { accepted, duplicates, last_event_id } = await replay(client, events, count => sent.push(count));

  t.is(accepted + duplicates, events.length);
  t.true(front.lost() > 0 && duplicates > 0, 'some batches arrived and their answers did not');
  t.is(sent.at(-1), events.length);
  const { stored } = await db.one(sql.type(z.object({ stored: z.int() }))`select count(*) as stored from events`);
  t.is(stored, events.length);

  const [raised] = await Promise.all([analyze(), untilAnalyzed(client, last_event_id)]);
  t.is((await readAlerts(client)).length, raised.length);
});

test('what one agent does arrives in the order in which it is sent', async t => {
  const { api, full, db } = await world(t, { own_database: true });
  const events = ofAgents.slice(-1_000);
  await replay(createClient({ url: api.address, key: full.key }), events);
  const rows = await db.any(sql.type(z.object({ id: z.string(), agent: z.string() }))`
    select e.id, a.external_id as agent from events e
    join agents a on a.org_id = e.org_id and a.environment = e.environment and a.id = e.agent_id order by e.chain_seq`);
  const stored = Map.groupBy(rows, row => row.agent);
  for (const [agent, list] of Map.groupBy(events, event => event.agent?.external_id ?? ''))
    t.deepEqual(
      stored.get(agent)?.map(row => row.id),
      list.map(event => event.id),
    );
});

test('an event that is not taken ends the replay with a sentence about it', async t => {
  const { api, full } = await world(t, { own_database: true });
  const [event] = ofAgents;
  if (!event) return t.fail();
  const wrong = { ...event, payment: { ...event.payment, payee: { key: 'iban:DE00' } } };
  await t.throwsAsync(replay(createClient({ url: api.address, key: full.key }), [wrong]), {
    message: /was not taken \(rejected\)/,
  });
  await t.throwsAsync(replay(createClient({ url: api.address, key: 'hk_test_nobody' }), [event]), {
    message: /refuses \(401\)/,
  });
});

/** What the agents report themselves: other sources are not known here. */
const ofAgents = generate(1, Date.now()).events.filter(({ source_id }) => source_id === undefined);

/** Stands before the API, and breaks every third connection after the request went through. */
async function unreliable(t: ExecutionContext, address: string) {
  let requests = 0;
  let lost = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/', headers } = request;
    const answer = await fetch(address + url, {
      method,
      headers: { authorization: headers.authorization ?? '', 'content-type': headers['content-type'] ?? '' },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    requests += 1;
    if (requests % 3 === 0) {
      lost += 1;
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  return { address: `http://127.0.0.1:${await listening(t, server)}`, lost: () => lost };
}
