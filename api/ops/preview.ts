import { z } from 'zod';
import { shortTime } from './tables.ts';
import { isJobKind, ofQueue } from './retry.ts';
import { page } from '#api/pages/page.ts';
import type { ApiServices } from '#api/services.ts';
import type { Config } from '#shared/settings/config.ts';
import { notFound, orNotFound } from '#shared/interface/errors.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { type Html, html } from '#shared/platform/html.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { timestamp } from '#shared/values/time.ts';

const SHOWN = 20;

/** The page before failed jobs are retried: what each is for, and of webhooks what will be sent. Throws `not_found`. */
export async function retryPreview(
  kind: string,
  job_id: string | undefined,
  { config, queue, db }: ApiServices,
): Promise<string> {
  if (!isJobKind(kind)) throw notFound('kind of job');
  const jobs =
    job_id === undefined
      ? await ofQueue(queue.failed(kind, SHOWN))
      : [orNotFound('failed job', await ofQueue(queue.failedJob(kind, job_id)))];
  const deliveries =
    kind === 'webhook'
      ? await listDeliveries(
          db,
          jobs.map(({ data }) => data as Jobs['webhook']),
        )
      : [];
  const action = `/ops/retry/${kind}${job_id === undefined ? '' : `/${encodeURIComponent(job_id)}`}`;
  const content = html`
    <ul>${jobs.map(
      ({ id, data, error, failed_at }) =>
        html`<li><code>${id}</code>, failed ${shortTime(timestamp(failed_at))}: ${error}<br /><code>${JSON.stringify(data)}</code></li>`,
    )}</ul>
    ${bodies(deliveries)}`;
  const what = job_id === undefined ? `all failed jobs of ${kind}` : `one job of ${kind}`;
  return confirmPage(
    config,
    `Retry ${what}`,
    job_id === undefined ? newestOnly(jobs.length) : null,
    content,
    action,
    'Retry',
  );
}

/** The page before an endpoint is sent again what it missed: the deliveries, and what will be sent. Throws `not_found`. */
export async function replayPreview(org_id: string, endpoint_id: string, { db, config }: ApiServices): Promise<string> {
  const { environment } = config;
  orNotFound(
    'webhook endpoint',
    await db.maybeOne(sql.type(z.object({ id: z.string() }))`
      select id from webhook_endpoints where org_id = ${org_id} and environment = ${environment} and id = ${endpoint_id}`),
  );
  const deliveries = await db.any(sql.type(Delivery)`
    select id, type, created_at, body from webhook_deliveries
    where org_id = ${org_id} and environment = ${environment} and endpoint_id = ${endpoint_id} and state = 'failed'
    order by id limit ${SHOWN}`);
  const note =
    deliveries.length === SHOWN
      ? `The first ${SHOWN} are shown; all of them are sent, oldest first.`
      : 'Sent oldest first, at most 20 a second.';
  return confirmPage(
    config,
    `Resend failed webhooks to ${endpoint_id}`,
    note,
    bodies(deliveries),
    `/ops/replay/${org_id}/${endpoint_id}`,
    'Resend',
  );
}

const newestOnly = (count: number) =>
  count === SHOWN ? `The newest ${SHOWN} are shown; all of them are retried.` : null;

const Delivery = z.object({ id: z.string(), type: z.string(), created_at: z.string(), body: z.string() });

const listDeliveries = (db: Db, jobs: readonly Jobs['webhook'][]) =>
  db.any(sql.type(Delivery)`
    select d.id, d.type, d.created_at, d.body
    from ${tableOf('given', jobs, { org_id: 'text', environment: 'text', delivery_id: 'text' })}
    join webhook_deliveries d using (org_id, environment) where d.id = given.delivery_id order by d.id`);

const bodies = (deliveries: readonly z.infer<typeof Delivery>[]): Html =>
  deliveries.map(
    ({ id, type, created_at, body }) =>
      html`<details><summary><code>${type}</code> <code>${id}</code>, made ${shortTime(created_at)}</summary><pre>${body}</pre></details>`,
  );

const confirmPage = (
  { ops_read_only }: Pick<Config, 'ops_read_only'>,
  title: string,
  note: string | null,
  content: Html,
  action: string,
  verb: string,
): string =>
  page(
    title,
    html`<header><h1>${title}</h1><p>${note}</p><nav aria-label="Views"><a href="/ops">Back to operations</a></nav></header>
      <main>
        ${content}
        ${!ops_read_only && html`<form method="post" action=${action}><button>${verb}</button></form>`}
      </main>`,
    '/ops/style.css',
  );
