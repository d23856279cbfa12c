import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import type { AlertEvidence } from '#shared/casework/alert_evidence.ts';
import { plainSubject } from '#shared/casework/episode_subject.ts';
import { isWorse, weightOf } from '#shared/detection/model/counted.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import type { Detector, EventFinding } from '#shared/detection/model/detector.ts';
import { type LoggedEvent, paymentKey, readRange } from '#shared/events/ranges/load.ts';
import type { PackAlert, PackEvent } from '#shared/packs/pack_files.ts';
import { bigMin } from '#shared/detection/model/score.ts';
import { createSpendBook } from '#shared/packs/report/spend.ts';
import { sql } from '#shared/platform/db.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { built } from './packs.ts';
import type { World } from './world.ts';

/** Detectors that write down what they find. */
function noting(detectors: readonly Detector[]): { noted: EventFinding[]; detectors: Detector[] } {
  const noted: EventFinding[] = [];
  return {
    noted,
    detectors: detectors.map(detector => ({
      ...detector,
      judge(event, context, params) {
        const found = [detector.judge(event, context, params) ?? []].flat();
        noted.push(...found.map(finding => ({ detector: detector.name, event, finding })));
        return found;
      },
    })),
  };
}

/** Takes the log through detection in ranges of these lengths, in turn; answers with what was found. */
export async function analyzeNoting(w: World, lengths: readonly number[], now = Date.now) {
  const { noted, detectors: noters } = noting(detectors);
  const cache = createDetectionCache();
  for (let turn = 0; ; turn += 1) {
    const limit = lengths[turn % lengths.length] ?? 1_000;
    const options = { limit, detectors: noters, cache, assessor: w.assessor, now };
    const analyzed = await analyzeRange(w.db, w.tenant, options);
    if (analyzed?.failures.length) throw new Error(JSON.stringify(analyzed.failures));
    if (!analyzed?.events) return noted;
  }
}

const AlertRow = z.object({
  id: z.string(),
  detector: z.string(),
  dedup_agent_id: z.string(),
  subject: z.string(),
  title: z.string(),
  explanation: z.string(),
});
type AlertRow = z.infer<typeof AlertRow>;

/**
 * Holds the words of every alert, what is linked to it, what its page reads and what its pack says to one count and one sum. `noted` are the
 * findings in their order; what was found beside them is about one payment. No alert may have been closed. Answers with the detectors that
 * raised one.
 */
export async function holdEvidence(
  t: ExecutionContext,
  w: World,
  noted: readonly EventFinding[],
): Promise<Set<string>> {
  const alerts = await w.db.any(sql.type(AlertRow)`
    select id, detector, dedup_agent_id, subject, title, explanation from alerts where org_id = ${w.tenant.org_id} order by id`);
  const log = await readRange(w.db, w.tenant, 0, 1_000_000);
  const ids = alerts.map(({ id }) => id);
  const pack = await built(t, w, { alert_ids: ids });
  const packed = new Map<string, PackAlert>(pack.read('alerts.json').map((alert: PackAlert) => [alert.id, alert]));
  const events = new Map<string, PackEvent>(pack.read('events.jsonl').map((event: PackEvent) => [event.id, event]));
  for (const alert of alerts) {
    const evidence: AlertEvidence = (await w.as.get(`/v1/alerts/${alert.id}/evidence`)).body;
    const name = `${alert.detector}: ${alert.explanation}`;
    const findings = noted.filter(finding => isOf(alert, finding));
    const shown = shownOf(findings);
    if (shown) holdWords(t, alert, shown, evidence);
    else t.is(evidence.payments, 1, name);
    if (shown) t.deepEqual(evidence.event_ids, expectedEvents(shown, findings, log), name);
    t.deepEqual(packed.get(alert.id)?.evidence, evidence, `${name}: the pack`);
    t.deepEqual(recounted(evidence, events), countOf(evidence), `${name}: the events of the pack`);
    await holdLinks(t, w, alert, evidence);
  }
  return new Set(alerts.map(({ detector }) => detector));
}

const isOf = ({ detector, dedup_agent_id, subject }: AlertRow, { detector: name, event, finding }: EventFinding) =>
  name === detector &&
  finding.subject === plainSubject(subject) &&
  (dedup_agent_id === '' || dedup_agent_id === event.agent_id);

/** The finding whose words the alert has. */
const shownOf = (findings: readonly EventFinding[]): EventFinding | undefined =>
  findings.reduce<EventFinding | undefined>(
    (shown, each) => (!shown || isWorse(each.finding, weightOf(shown.finding)) ? each : shown),
    undefined,
  );

/** The words are those of the finding, and their numbers are those of the evidence. */
function holdWords(
  t: ExecutionContext,
  { title, explanation }: AlertRow,
  { finding }: EventFinding,
  evidence: AlertEvidence,
): void {
  const words = `${title}. ${explanation}`;
  t.true(isFilled(finding, explanation), `${finding.explanation}\n${explanation}`);
  const { counted } = finding;
  if (!counted) return;
  t.is(evidence.payments, counted.payments, words);
  t.is(evidence.settled, counted.settled ?? evidence.settled, words);
  t.is(evidence.spend_usd_micro, String(counted.spend_micro ?? evidence.spend_usd_micro), words);
  t.regex(words, new RegExp(`\\b${counted.payments === 2 ? '(2|Two)' : counted.payments}\\b`), words);
  const [, settled] = /(\w+) of them (?:are settled|had settled by then)/.exec(words) ?? [];
  const spoken: Record<string, number> = { All: evidence.payments, None: 0 };
  if (settled) t.is(spoken[settled] ?? Number(settled), evidence.settled, words);
  const [, cost] = /\bcost (\$[\d,]+\.\d+)/.exec(words) ?? [];
  if (cost) t.is(cost, formatUsdMicro(BigInt(evidence.spend_usd_micro)), words);
  const [, spent] = /^(\$[\d,]+\.\d+) spent within .* They are /.exec(words) ?? [];
  if (spent) t.is(centsOf(microOf(spent)), centsOf(BigInt(evidence.spend_usd_micro)), words);
}

/** `$1,234.5` in millionths of a dollar. */
function microOf(text: string): bigint {
  const [whole = '', part = ''] = text.replaceAll(/[$,]/g, '').split('.');
  return BigInt(whole + part.padEnd(6, '0'));
}

/** To the nearest cent, half a cent up. */
const centsOf = (micro: bigint) => (micro + 5_000n) / 10_000n;

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Whether a text is what a finding says, with the name of somebody in it and its price told in another currency or not. */
function isFilled({ explanation, price }: EventFinding['finding'], text: string): boolean {
  const inDollars = price === undefined ? text : text.replace(new RegExp(`\\S+ \\(${escaped(price)}\\)`), () => price);
  const pattern = new RegExp(`^${explanation.split('{payee}').map(escaped).join('[^]*')}$`);
  return pattern.test(text) || pattern.test(inDollars);
}

/** Every event of every payment that the words are about, up to when they were written, newest first. */
function expectedEvents(shown: EventFinding, findings: readonly EventFinding[], log: readonly LoggedEvent[]): string[] {
  const until = new Map<string, number>();
  for (const { event, finding } of shown.finding.gathers ? findings : [shown])
    for (const seq of finding.seqs) {
      const logged = log[seq - 1];
      if (logged) until.set(paymentKey(logged), event.chain_seq);
    }
  return log
    .filter(event => event.chain_seq <= (until.get(paymentKey(event)) ?? 0))
    .map(({ id }) => id)
    .toReversed();
}

const countOf = ({ payments, settled, spend_usd_micro }: AlertEvidence) => ({ payments, settled, spend_usd_micro });

/** What the events of a pack come to, by the rule of its report. */
function recounted({ event_ids }: AlertEvidence, events: ReadonlyMap<string, PackEvent>) {
  const book = createSpendBook();
  const told = event_ids.flatMap(id => events.get(id) ?? []).toSorted((a, b) => a.chain_seq - b.chain_seq);
  for (const event of told) book.add({ ...event, amount_usd_micro: capped(event.amount_usd_micro) });
  const payments = [...book.payments()];
  const settled = told.filter(({ type }) => type === 'payment.settled');
  return {
    payments: payments.length,
    settled: new Set(settled.map(({ agent_id, payment }) => paymentKey({ agent_id, ...payment }))).size,
    spend_usd_micro: String(payments.reduce((sum, { spend_micro }) => sum + spend_micro, 0n)),
  };
}

/** Detection counts with no more dollars than there are. */
const capped = (micro: string | null) => micro && String(bigMin(BigInt(micro), 9_000_000_000_000_000_000n));

/** The alert names the newest of what is linked to it, and is found by the oldest. */
async function holdLinks(t: ExecutionContext, w: World, { id }: AlertRow, evidence: AlertEvidence): Promise<void> {
  const { body } = await w.as.get(`/v1/alerts/${id}`);
  const linked = new Set([...evidence.event_ids, ...evidence.other_event_ids]);
  t.true(body.event_ids.every((event_id: string) => linked.has(event_id)));
  t.is(body.event_ids.length, Math.min(100, linked.size));
  const about = await w.as.get(`/v1/alerts?limit=200&event_id=${evidence.event_ids.at(-1)}`);
  t.true(about.body.data.some((alert: { id: string }) => alert.id === id));
}
