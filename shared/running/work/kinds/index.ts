import type { JobKind } from '#shared/platform/jobs.ts';
import type { JobKindOf } from '#shared/running/work/job_kind.ts';
import { backtest } from './backtest.ts';
import { chain } from './chain.ts';
import { checkpoint } from './checkpoint.ts';
import { detect } from './detect.ts';
import { erasure } from './erasure.ts';
import { exportKind } from './export.ts';
import { exportHour } from './export_hour.ts';
import { listFetch } from './list_fetch.ts';
import { notify } from './notify.ts';
import { pack } from './pack.ts';
import { rateFetch } from './rate_fetch.ts';
import { recheck } from './recheck.ts';
import { reprice } from './reprice.ts';
import { screen } from './screen.ts';
import { webhook } from './webhook.ts';

/** Every kind of job, under the name of its queue and of its handler's file. */
export const jobKinds: { readonly [K in JobKind]: JobKindOf<K> } = {
  detect,
  recheck,
  reprice,
  chain,
  backtest,
  screen,
  list_fetch: listFetch,
  rate_fetch: rateFetch,
  checkpoint,
  pack,
  export: exportKind,
  export_hour: exportHour,
  erasure,
  webhook,
  notify,
};

export const jobKindNames = Object.keys(jobKinds) as JobKind[];
