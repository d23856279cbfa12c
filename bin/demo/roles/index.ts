import type { DemoRole } from '#bin/demo/role.ts';
import { batch } from './batch.ts';
import { catering } from './catering.ts';
import { feeds } from './feeds.ts';
import { payroll } from './payroll.ts';
import { procurement } from './procurement.ts';
import { research } from './research.ts';
import { seasonal } from './seasonal.ts';
import { sourcing } from './sourcing.ts';
import { subscriptions } from './subscriptions.ts';
import { travel } from './travel.ts';
import { treasury } from './treasury.ts';
import { watcher } from './watcher.ts';

/** Every kind of agent, the busiest first. */
export const roles: DemoRole[] = [
  research,
  batch,
  watcher,
  procurement,
  travel,
  subscriptions,
  treasury,
  payroll,
  feeds,
  sourcing,
  catering,
  seasonal,
];
