import { stripVTControlCharacters } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { asError } from '#shared/interface/errors.ts';
import { runUntilSignal } from '#shared/running/until_signal.ts';
import { SECOND } from '#shared/values/time.ts';
import { withIds } from '#bin/demo/agree.ts';
import { generate } from '#bin/demo/generate.ts';
import { type DemoPack, makePack } from '#bin/demo/pack.ts';
import { startSteps, type Steps } from '#bin/demo/steps_bar.ts';
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
  all: boolean;
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
  .option('--all', 'list every planted scenario, and how it was found', false)
  .option('--log-level <level>', 'what the service logs meanwhile', 'error')
  .parse()
  .opts<Options>();

const out = process.stdout;
const say = (text: string) => void out.write(`${text}\n`);

await runUntilSignal(
  async stopping => {
    const now = Date.now();
    say('');
    const progress = startSteps(out);
    const settings = { log_level: options.logLevel, port: options.port };
    progress.at('Starting the service');
    // What it says while it starts is of no use to somebody who only looks.
    const stage = await setStage(now, settings, () => {}, stopping).finally(() => stopping.aborted && progress.stop());
    try {
      const good = await Promise.race([perform(stage, now, progress), aborted(stopping)]);
      if (!options.exit) {
        say(howToGoOn(stage, await stage.signInLink()));
        return stage.close;
      }
      say(`  Its data was in ${stage.data_dir}.`);
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
async function perform(stage: Stage, now: number, progress: Steps): Promise<boolean> {
  const { client, receiver, agree, untilSettled } = stage;
  const world = generate(options.seed, now, { size: options.events });
  const events = withIds(world.events, await agree(world.agreed));
  const started = performance.now();
  progress.at('Sending events');
  const { last_event_id } = await replay(client, events, sent => progress.done(sent / events.length));
  progress.at('Analyzing events');
  await untilAnalyzed(client, last_event_id);
  const seconds = (performance.now() - started) / SECOND;
  progress.at('Waiting for late reports');
  await untilSettled();
  const alerts = await readAlerts(client);
  await receiver.until(alerts.length, 30 * SECOND);
  const result = score(world, alerts);
  const verdicts = await readVerdicts(client, world.day);
  progress.at('Building a pack');
  const pack = await makePack(client, alerts);
  progress.stop();
  const run = { events: events.length, seconds, webhooks: receiver.counts, verdicts };
  say(reportOf(result, run, out, options.all || options.exit));
  if (pack) say(folded(aboutPack(pack)));
  return result.missed === 0 && result.false_alarms_per_10000 <= options.mostFalseAlarms && pack?.verified === true;
}

function aboutPack({ pack: { event_count, size_bytes }, about, verified }: DemoPack): string {
  const size = `${event_count} events, ${Math.round((size_bytes ?? 0) / 1_000)} kB`;
  const how = verified ? 'verified with only the published key' : 'which does NOT verify';
  return `Evidence pack of case "${stripVTControlCharacters(about)}": ${size}, ${how}.`;
}

function howToGoOn({ service: { address, key }, data_dir, keeps }: Stage, link: string): string {
  return `
  API        ${address}/docs    key ${key}
  Data       ${data_dir}${keeps ? '' : ', removed at the end'}
  New link   DATA_DIR=${data_dir} npm run -s admin -- sign-in-link --email ${VISITOR}

  The service runs until you press Ctrl-C. Open the dashboard within ten minutes:

    ${link}
`;
}
