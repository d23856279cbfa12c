import { stripVTControlCharacters } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { asError } from '#shared/interface/errors.ts';
import { runUntilSignal } from '#shared/running/until_signal.ts';
import { SECOND } from '#shared/values/time.ts';
import { withIds } from '#bin/demo/agree.ts';
import { generate } from '#bin/demo/generate.ts';
import { type DemoPack, makePack } from '#bin/demo/pack.ts';
import { startProgress } from '#bin/demo/progress.ts';
import { readAlerts, replay, untilAnalyzed } from '#bin/demo/replay.ts';
import { folded, reportOf } from '#bin/demo/report.ts';
import { score } from '#bin/demo/score.ts';
import { setStage, type Stage } from '#bin/demo/stage.ts';
import { readVerdicts } from '#bin/demo/verdicts.ts';
import { VISITOR } from '#bin/demo/visitor.ts';
import { USUAL_SIZE } from '#bin/demo/world.ts';

// `npm run demo`: the whole service on an empty directory, a realistic day of agent payments through its API, and what it noticed.
type Options = {
  seed: number;
  events: number;
  port: number | undefined;
  exit: boolean;
  mostFalseAlarms: number;
  logLevel: string;
};

const wholeNumber = (text: string) => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
};

const options = new Command('npm run demo --')
  .description('Replays a day of agent payments through the API and shows which planted scenarios were found.')
  .option('--seed <n>', 'another seed is another world', wholeNumber, 1)
  .option(
    '--events <n>',
    'about how many events; no fewer than in the smallest world in which every scenario finds an agent',
    wholeNumber,
    USUAL_SIZE,
  )
  .option('--port <n>', 'where the API listens (default: PORT, or a free port when that is taken)', wholeNumber)
  .option('--exit', 'end after the table: code 0 if every scenario was found and false alarms are few, else 1', false)
  .option('--most-false-alarms <n>', 'how many in 10,000 normal events are few', wholeNumber, 5)
  .option('--log-level <level>', 'what the service logs meanwhile', 'error')
  .parse()
  .opts<Options>();

const out = process.stdout;
const say = (text: string) => void out.write(`${text}\n`);

await runUntilSignal(
  async stopping => {
    const now = Date.now();
    say('\n  Starting the service on an empty data directory…');
    const settings = { log_level: options.logLevel, port: options.port };
    const stage = await setStage(now, settings, line => say(folded(line)), stopping);
    try {
      const good = await Promise.race([perform(stage, now), aborted(stopping)]);
      if (!options.exit) {
        say(howToGoOn(stage, await stage.signInLink()));
        return stage.close;
      }
      await stage.close();
      process.exit(good ? 0 : 1);
    } catch (error) {
      await stage.close();
      throw error;
    }
  },
  line => say(folded(line)),
);

/** Rejects with the reason when the signal is aborted. */
function aborted(stopping: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  stopping.addEventListener('abort', () => reject(asError(stopping.reason)));
  if (stopping.aborted) reject(asError(stopping.reason));
  return promise;
}

/** Replays the world and shows the outcome. True when every scenario was found and false alarms are few. */
async function perform({ client, receiver, agree, untilSettled }: Stage, now: number): Promise<boolean> {
  const world = generate(options.seed, now, { size: options.events });
  const events = withIds(world.events, await agree(world.agreed));
  const started = performance.now();
  const progress = startProgress('Events sent', events.length, out);
  const { last_event_id } = await replay(client, events, progress.update).finally(progress.stop);
  await untilAnalyzed(client, last_event_id);
  const seconds = (performance.now() - started) / SECOND;
  await untilSettled();
  const alerts = await readAlerts(client);
  await receiver.until(alerts.length, 30 * SECOND);
  const result = score(world, alerts);
  const verdicts = await readVerdicts(client, world.day);
  say(reportOf(result, { events: events.length, seconds, webhooks: receiver.counts, verdicts }, out));
  const made = await makePack(client, alerts);
  if (made) say(aboutPack(made));
  return result.missed === 0 && result.false_alarms_per_10000 <= options.mostFalseAlarms && made?.verified === true;
}

function aboutPack({ pack: { id, event_count, size_bytes }, about, verified, url }: DemoPack): string {
  return `${folded(`An evidence pack of the case "${stripVTControlCharacters(about)}": ${event_count} events, ${Math.round((size_bytes ?? 0) / 1_000)} kB, ${verified ? 'verified with nothing but the published key' : 'which does NOT verify'}.`)}

    ${url}

    export PACK=$SERVICE/v1/packs/${id}
    curl -H "Authorization: Bearer $KEY" "$PACK/download" > pack.zip
    curl "$SERVICE/v1/keys.json" > keys.json; curl "$SERVICE/verify.mjs" > verify.mjs
    node verify.mjs --keys keys.json pack.zip
`;
}

function howToGoOn({ service: { address, key }, data_dir }: Stage, link: string): string {
  return `  The service stays up until Ctrl-C, then its data is removed. Meanwhile look at the day in the dashboard:

    ${link}

  The link lasts ten minutes and works once; another one is made with

    DATA_DIR=${data_dir} npm run -s admin -- sign-in-link --email ${VISITOR}

  And the API:

    export SERVICE=${address} KEY=${key}
    curl -H "Authorization: Bearer $KEY" "$SERVICE/v1/alerts?severity=critical"
    curl -H "Authorization: Bearer $KEY" "$SERVICE/v1/events?q=paperclip&limit=5"
    curl -H "Authorization: Bearer $KEY" "$SERVICE/v1/events?verification=failed"
    curl "$SERVICE/v1/openapi.json"        # the whole interface
`;
}
