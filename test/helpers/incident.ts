import { newId } from '#shared/interface/ids.ts';
import { alert, type AlertOptions } from './alert.ts';
import type { World } from './world.ts';

/** An incident with an alert for each of these. */
export async function incident({ db, tenant }: World, ...alerts: AlertOptions[]) {
  const [incident_id, agent_id] = [newId('inc'), newId('agt')];
  const ids: string[] = [];
  for (const [index, options] of alerts.entries())
    ids.push(await alert(db, tenant, { incident_id, agent_id, subject: `${index}`, ...options }));
  return { id: incident_id, agent_id, ids, path: `/v1/incidents/${incident_id}` };
}
