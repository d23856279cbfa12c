import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { exportKindNames } from '#shared/exports/store/exports.ts';
import { event } from '#test/helpers/make.ts';
import { idFor } from '#test/helpers/inhabit.ts';
import { readPdf } from '#test/helpers/pdf.ts';
import { exampleBody, guarded, pathOf } from '#test/helpers/routes.ts';
import { unzip } from '#test/helpers/unzip.ts';
import type { Place } from './place.ts';
import { note, type Tally } from './tally.ts';

/** In every text, and in nothing of ours. */
const MARK = 'zq7zq7';
const texts = [
  `<script>${MARK}</script>`,
  `"><img src=x onerror=${MARK}>`,
  `' onmouseover=${MARK} x='`,
  `</title></script><script>${MARK}//`,
  `javascript:${MARK}`,
  `=HYPERLINK("${MARK}")`,
  `+${MARK}`,
  `-${MARK}`,
  `@${MARK}`,
  `\t=${MARK}`,
  `\r\n\r\n<script>${MARK}</script>`,
  `\u001b]0;${MARK}\u0007`,
  `#panic("${MARK}") #read("/etc/passwd")`,
  `\u202e${MARK}`,
];
const AT_ONCE = 8;
const json = { 'content-type': 'application/json' };
/** Markup of the texts that a page would run. */
const runs = new RegExp(
  `<script[^>]*>[^<]*${MARK}|<img[^>]+onerror=|<[^>"']+("[^"]*"|'[^']*'|[^>"'])*\\sonmouseover=${MARK}|(href|src|action)=["']?javascript:`,
  'i',
);
const READY_WITHIN = 120_000;

/**
 * Scripts, formulas and control characters in every text of every body, and in the headers that are kept. Then every page, report, PDF and CSV file that
 * may show them is read.
 */
export async function writings(place: Place, tally: Tally, operator: string): Promise<void> {
  await write(place, tally);
  await place.us.analyze();
  await readPages(place, tally, operator);
  for (const kind of exportKindNames) await readExport(place, tally, kind);
  for (const kind of ['evidence_pack', 'agent_activity_report', 'screening_report', 'alert_report'])
    await readPack(place, tally, kind);
}

async function write({ us, crew, ask }: Place, tally: Tally): Promise<void> {
  const { key } = await us.newKey(us.tenant.org_id);
  const { cookie } = await us.newPerson('owner', { second_factor: true });
  // What would end the others' way in, or empty what they write, is left out.
  const kept = guarded.filter(
    ({ body, method, operation_id }) => body && method !== 'delete' && !/rase|ignOut/.test(operation_id),
  );
  const waiting = kept.flatMap(route => {
    const sound = route.operation_id === 'sendEvents' ? event() : exampleBody(route, us.ids);
    return textsIn(sound).flatMap(at => texts.map(text => ({ route, body: withText(sound, at, text) })));
  });
  const lane = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { route } = next;
      const shown: Record<string, string> =
        route.access !== 'public' && route.access.scopes
          ? { authorization: `Bearer ${key}` }
          : { cookie, origin: crew.address };
      const headers = { ...json, ...shown, 'user-agent': texts[0] ?? '' };
      const path = pathOf(route, idFor(route, us.ids), us.ids);
      const body = Buffer.from(JSON.stringify(next.body));
      await ask(tally, { method: route.method.toUpperCase(), path, headers, body }, us);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** Every page there is, and every record asked for as a page. */
async function readPages({ us, crew, ask }: Place, tally: Tally, operator: string): Promise<void> {
  const { cookie } = await us.newPerson('owner', { second_factor: true });
  const ops = { authorization: `Basic ${Buffer.from(operator).toString('base64')}` };
  const pages = '/ /events /alerts /cases /sign-in /docs /setup/x /share/x /ops /ops/queues /ops/live';
  const paths = [
    ...pages.split(' '),
    `/${encodeURIComponent(texts[0] ?? '')}`,
    `/ops/${encodeURIComponent(texts[1] ?? '')}`,
    ...guarded.filter(({ method }) => method === 'get').map(route => pathOf(route, idFor(route, us.ids), us.ids)),
    ...texts.map(text => `/v1/search?q=${encodeURIComponent(text)}`),
    ...texts.map(text => `/v1/events?payment_id=${encodeURIComponent(text)}`),
  ];
  for (const path of paths) {
    const headers = { accept: 'text/html', ...(path.startsWith('/ops') ? ops : { cookie }) };
    const { text, type } = await ask(tally, { method: 'GET', path, headers, body: undefined }, us);
    if (type.startsWith('text/html')) checkPage(tally, `${crew.address}${path}`, text);
  }
}

const checkPage = (tally: Tally, where: string, html: string) => {
  const found = runs.exec(html);
  if (found) note(tally, 'leaks', `${where} runs ${found[0].slice(0, 100)}`);
};

async function readExport(place: Place, tally: Tally, kind: string): Promise<void> {
  const files = await download(place, tally, '/v1/exports', { kind, format: 'csv' });
  const csv = [...(files ?? [])].find(([name]) => name.endsWith('.csv'))?.[1];
  if (!csv) return note(tally, 'hangs', `no export of ${kind}`);
  const rows = parse(csv, { relax_column_count: true }) as string[][];
  for (const cell of rows.flat())
    if (/^[=+\-@\t\r]/.test(cell))
      note(tally, 'leaks', `${kind}.csv has the formula ${JSON.stringify(cell.slice(0, 60))}`);
}

async function readPack(place: Place, tally: Tally, kind: string): Promise<void> {
  const event_ids = (await place.us.key.get('/v1/events?limit=200')).body.data.map(({ id }: { id: string }) => id);
  const body = { kind, title: texts[0], scope: { event_ids } };
  const files = await download(place, tally, '/v1/packs', body);
  const [html, pdf] = [files?.get('report.html'), files?.get('report.pdf')];
  if (!html || !pdf) return note(tally, 'hangs', `no ${kind}`);
  checkPage(tally, `${kind}, report.html`, html.toString());
  if (readPdf(pdf).acts) note(tally, 'leaks', `${kind}, report.pdf acts`);
}

/** Has a file made and reads it; null where it is not made in time. */
async function download({ us, crew }: Place, tally: Tally, path: string, body: object) {
  const headers = { cookie: (await us.newPerson('owner', { second_factor: true })).cookie, origin: crew.address };
  const made = await fetch(`${crew.address}${path}`, {
    method: 'POST',
    headers: { ...headers, ...json },
    body: JSON.stringify(body),
  });
  const { id } = (await made.json()) as { id: string };
  const began = performance.now();
  while (performance.now() - began < READY_WITHIN) {
    const answer = await fetch(`${crew.address}${path}/${id}/download`, { headers });
    tally.requests += 1;
    if (answer.status >= 500) note(tally, 'errors', `${answer.status} ${path}`);
    if (answer.status === 200) return unzip(Buffer.from(await answer.arrayBuffer()));
    await answer.body?.cancel();
    await pause(250);
  }
  return null;
}

type Path = (string | number)[];

/** The places of the texts in a value. */
const textsIn = (value: unknown, at: Path = []): Path[] =>
  typeof value === 'string'
    ? [at]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, member]) => textsIn(member, [...at, name]))
      : [];

function withText(value: unknown, [step, ...further]: Path, text: string): unknown {
  if (step === undefined) return text;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[step] = withText(copy[step], further, text);
  return copy;
}
