import { claimDueLookups, oldestUnread, wakeLookups } from '#shared/assessment/chain_lookups.ts';
import { oncePer } from '#shared/platform/jobs.ts';
import type { JobKindOf } from '#shared/running/work/job_kind.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    chain: { org_id: string; environment: string; chain_seq: number };
  }
}

/** Transactions that an event names are to be read from their chains. */
export const chain: JobKindOf<'chain'> = {
  process: 'detect',
  concurrency: 20,
  options: ({ org_id, environment, chain_seq }) => oncePer(`${org_id}.${environment}.${chain_seq}`),
  async overdue({ config, db, now }) {
    const networks = Object.keys(config.chain_rpc_urls);
    if (networks.length > 0) await wakeLookups(db, networks, now());
    return claimDueLookups(db, now());
  },
  oldest: ({ db }) => oldestUnread(db),
};
