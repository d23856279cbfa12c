import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyPack } from '#shared/packs/verify.mjs';
import type { Alert } from '#shared/casework/alerts.ts';
import type { Client } from '#api/client/client.ts';
import type { Pack } from '#shared/packs/store/packs.ts';
import { SECOND } from '#shared/values/time.ts';

/** An evidence pack as the demo shows it: what it is about, whether it verifies, and the link by which it is shared. */
export type DemoPack = { pack: Pack; about: string; verified: boolean; url: string };

/**
 * Opens a case about a payment that broke its mandate (or about whatever scores highest), has its pack built, checks it as an auditor would,
 * with nothing but the published key, and shares it. The runaway agent is left for whoever looks at the dashboard. Null where there is no alert. Throws an Error when the pack is not ready within a minute.
 */
export async function makePack(client: Client, alerts: readonly Alert[]): Promise<DemoPack | null> {
  const [alert] = alerts.toSorted((a, b) => rank(b) - rank(a));
  if (!alert) return null;
  const opened = await client.call('POST /v1/cases', {
    body: {
      title: alert.title.slice(0, 200),
      priority: 'high',
      ...(alert.case_id === null ? { alert_ids: [alert.id] } : { event_ids: alert.event_ids }),
    },
  });
  const queued_pack = await client.call('POST /v1/packs', {
    body: { kind: 'evidence_pack', title: alert.title.slice(0, 200), scope: { case_id: opened.id } },
  });
  const pack = await untilReady(client, queued_pack.id);
  const verified = await check(client, pack.id);
  const { url } = await client.call('POST /v1/packs/{id}/share', {
    params: { id: pack.id },
    body: { expires_in_days: 1 },
  });
  return { pack, about: alert.title, verified, url };
}

const rank = ({ detector, score }: Alert) =>
  score + (detector === 'mandate_breach' ? 1_000 : detector === 'runaway_loop' ? -1_000 : 0);

const PATIENCE = 60 * SECOND;

async function untilReady(client: Client, id: string): Promise<Pack> {
  const started = performance.now();
  for (;;) {
    const pack = await client.call('GET /v1/packs/{id}', { params: { id } });
    if (pack.state === 'ready') return pack;
    if (pack.state !== 'queued' && pack.state !== 'building')
      throw new Error(`The pack is ${pack.state}: ${pack.error}`);
    if (performance.now() - started > PATIENCE)
      throw new Error(`The pack is still ${pack.state} after ${PATIENCE / SECOND} s.`);
    await sleep(SECOND / 5);
  }
}

/** Whether a pack that was downloaded verifies with the keys that the service publishes. */
async function check(client: Client, id: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'oversight-demo-pack-'));
  try {
    const file = join(folder, 'pack.zip');
    const zip = (await client.call('GET /v1/packs/{id}/download', { params: { id } })) as ArrayBuffer;
    await writeFile(file, Buffer.from(zip));
    const keys = await client.call('GET /v1/keys.json');
    return (await verifyPack(file, { keys })).ok;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
