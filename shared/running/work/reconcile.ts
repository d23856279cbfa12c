import { claimDueLookups, wakeLookups } from '#shared/assessment/chain_lookups.ts';
import { claimRechecks } from '#shared/events/ranges/rechecks.ts';
import { logsBehind } from '#shared/detection/consumer/behind.ts';
import type { JobKind } from '#shared/platform/jobs.ts';
import { unpublishedLogs } from '#shared/ledger/unpublished.ts';
import { PATIENCE } from './oldest_pending.ts';
import { claimBacktests } from '#shared/detection/backtest/backtest_claims.ts';
import { claimPacks } from '#shared/packs/store/pack_claims.ts';
import { claimListFetches } from '#shared/screening/store/list_sources.ts';
import { logsToScreen } from '#shared/screening/store/screening_claims.ts';
import { claimOverdue } from '#shared/webhooks/webhook_claims.ts';
import type { Services } from '#shared/platform/services.ts';

/** Asks one kind of work which rows are overdue and queues a job for each. Answers with how many. */
export type Reconciler = { kind: JobKind; run: (services: Services) => Promise<number> };

/** Logs that have grown and whose cursor has not moved for two seconds. */
const detect: Reconciler = {
  kind: 'detect',
  async run({ db, queue, now }) {
    const behind = await logsBehind(db, now() - PATIENCE);
    await queue.add(
      'detect',
      behind.map(({ org_id, environment }) => ({ org_id, environment, again: true as const })),
    );
    return behind.length;
  },
};

/** Deliveries that are due and that no job is on its way for. */
const webhook: Reconciler = {
  kind: 'webhook',
  async run({ db, queue, now }) {
    const jobs = await claimOverdue(db, now());
    await queue.add('webhook', jobs);
    return jobs.length;
  },
};

/** Events that are to be assessed again, because something became known. */
const recheck: Reconciler = {
  kind: 'recheck',
  async run({ db, queue, now }) {
    const jobs = await claimRechecks(db, now());
    await queue.add('recheck', [...jobs]);
    return jobs.length;
  },
};

/** Transactions that are to be read from their chains. */
const chain: Reconciler = {
  kind: 'chain',
  async run({ config, db, queue, now }) {
    const networks = Object.keys(config.chain_rpc_urls);
    if (networks.length > 0) await wakeLookups(db, networks, now());
    const jobs = await claimDueLookups(db, now());
    await queue.add('chain', [...jobs]);
    return jobs.length;
  },
};

/** Back-tests that wait, or whose worker has fallen silent. */
const backtest: Reconciler = {
  kind: 'backtest',
  async run({ db, queue, now }) {
    const jobs = await claimBacktests(db, now());
    await queue.add('backtest', jobs);
    return jobs.length;
  },
};

/** Payees that have waited for two seconds, and lists that changed and that nobody holds them against. */
const screen: Reconciler = {
  kind: 'screen',
  async run({ db, queue, now }) {
    const waiting = await logsToScreen(db, now() - PATIENCE);
    await queue.add(
      'screen',
      waiting.map(({ org_id, environment }) => ({ org_id, environment, again: true as const })),
    );
    return waiting.length;
  },
};

/** Lists that are to be fetched from their publishers. */
const listFetch: Reconciler = {
  kind: 'list_fetch',
  async run({ config, db, queue, now }) {
    const names = await claimListFetches(db, Object.keys(config.screening_lists), now());
    await queue.add(
      'list_fetch',
      names.map(name => ({ name })),
    );
    return names.length;
  },
};

/** Packs that wait, whose worker has fallen silent, or whose time is over. */
const pack: Reconciler = {
  kind: 'pack',
  async run({ db, queue, now }) {
    const jobs = await claimPacks(db, now());
    await queue.add('pack', jobs);
    return jobs.length;
  },
};

/** Logs that have grown since their last checkpoint, once in ten seconds each. */
const checkpoint: Reconciler = {
  kind: 'checkpoint',
  async run({ db, queue, now }) {
    const logs = await unpublishedLogs(db, now());
    const due = logs.filter(({ is_due }) => is_due);
    await queue.add(
      'checkpoint',
      due.map(({ org_id, environment }) => ({ org_id, environment })),
    );
    return due.length;
  },
};

export const reconcilers: Reconciler[] = [
  detect,
  recheck,
  chain,
  backtest,
  screen,
  listFetch,
  checkpoint,
  pack,
  webhook,
];
