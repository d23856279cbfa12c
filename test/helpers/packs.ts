import type { ExecutionContext } from 'ava';
import { unzip } from './unzip.ts';
import { endOf } from './job.ts';
import type { World } from './world.ts';
import { createHandler as createPackHandler } from '#workers/handlers/pack.ts';

type Json = Record<string, unknown>;

/** Does what a worker does with the job of a pack. */
export const workOn = (w: World, pack_id: string, stopping = new AbortController().signal) =>
  endOf(createPackHandler(w.services, stopping)({ ...w.tenant, pack_id }));

/** Asks for a pack; answers with its id. */
export async function ask(t: ExecutionContext, w: World, scope: Json, more: Json = {}): Promise<string> {
  const { status, body } = await w.as.post('/v1/packs', { kind: 'evidence_pack', scope, ...more });
  t.is(status, 202, JSON.stringify(body));
  return body.id;
}

/** Asks for a pack, has it built, and downloads it: its record, the ZIP, and the files in it. */
export async function built(t: ExecutionContext, w: World, scope: Json, more: Json = {}) {
  const id = await ask(t, w, scope, more);
  await workOn(w, id);
  const { body: pack } = await w.as.get(`/v1/packs/${id}`);
  t.is(pack.state, 'ready', String(pack.error));
  const zip = await download(w, id);
  const files = unzip(zip);
  const text = (name: string) => files.get(name)?.toString() ?? '';
  return {
    pack,
    zip,
    files,
    /** What a file of JSON holds; of JSON lines, the lines. */
    read(name: string) {
      if (!name.endsWith('.jsonl')) return JSON.parse(text(name));
      return text(name)
        .split('\n')
        .flatMap(line => (line === '' ? [] : [JSON.parse(line)]));
    },
  };
}

/** The bytes of a pack. */
export async function download({ api, full }: World, id: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${full.key}` };
  const answer = await fetch(`${api.address}/v1/packs/${id}/download`, { headers });
  if (answer.status !== 200) throw new Error(await answer.text());
  return Buffer.from(await answer.arrayBuffer());
}
