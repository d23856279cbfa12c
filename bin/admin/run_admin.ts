import { CommanderError } from 'commander';
import { readConfig } from '#shared/settings/config.ts';
import { asError, type Detail, Problem, unavailable } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import type { ProcessServices } from '#shared/running/services.ts';
import { commandsFor } from './index.ts';
import type { AdminCommand, Shell } from './command.ts';
import { print } from './print.ts';
import { Mistyped, programOf, withoutValue } from './program.ts';

/**
 * The operator's tool within a process: does what was typed, writes to the shell, and returns the exit code. 1: it failed, which
 * stderr tells, or the answer is bad news; 2: it was mistyped.
 */
export async function runAdmin(words: readonly string[], shell: Shell): Promise<number> {
  const json = words.includes('--json');
  let code = 0;
  const program = programOf(await commandsFor(words[0]), words, shell, async (command, own_options, arguments_) => {
    const options = { ...own_options, json: json ? 'true' : undefined };
    const result = command.runAlone
      ? await command.runAlone(options, arguments_, shell)
      : await withServices(shell, command, services => command.run(options, services, shell));
    if (result !== undefined) shell.stdout.write(json ? `${JSON.stringify(result)}\n` : print(result));
    if (command.failed?.(result)) code = 1;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      shell.stderr.write(await errorText(error, json));
      return error instanceof Mistyped ? 2 : 1;
    }
    if (error.exitCode === 0) return 0;
    const isHelp = error.code === 'commander.help';
    const message = isHelp ? 'Name a command; --help lists them.' : withoutValue(error.message.replace(/^error: /, ''));
    // Without --json it has been said.
    if (json) shell.stderr.write(await errorText(new Problem('invalid_request', message), json));
    return 2;
  }
}

/** Opens the database (starting the embedded one if nobody has) and brings it up to date, which waits for others that do the same, and says so where that changes it. */
async function withServices<T>(
  { settings, stderr }: Shell,
  { any_secret_key }: AdminCommand,
  work: (services: ProcessServices) => Promise<T>,
): Promise<T> {
  // Loaded here: what works without them starts in a third of the time.
  const { openDatabase } = await import('#shared/running/open_database.ts');
  const { createServices } = await import('#shared/running/services.ts');
  const { migrate, preparedText } = await import('#sql/migrate.ts');
  const config = readConfig({ LOG_LEVEL: 'silent' }, settings);
  const database = await openDatabase(config);
  try {
    const ran = await migrate(database.owner_url);
    if (ran.length > 0) stderr.write(`${preparedText(ran)}\n`);
    const services = await createServices(config, database, 'admin', { any_secret_key });
    try {
      return await work(services);
    } finally {
      await services.close();
    }
  } finally {
    await database.embedded?.close();
  }
}

async function errorText(thrown: unknown, json: boolean): Promise<string> {
  const { code, message, details } = await describe(thrown);
  if (!json) return `${message}\n`;
  return `${JSON.stringify({ error: { code, message, ...(details && { details }) }, request_id: newId('req') })}\n`;
}

async function describe(thrown: unknown): Promise<{ code: string; message: string; details?: Detail[] | undefined }> {
  if (thrown instanceof Problem) return thrown;
  const { troubleOfDatabase } = await import('#shared/platform/db.ts');
  const { Away } = await import('#shared/platform/outage.ts');
  const { Unreachable } = await import('#shared/platform/unreachable.ts');
  const error = asError(thrown);
  if (error instanceof Away) return unavailable(`${error.message}.`);
  if (error instanceof Unreachable) return unavailable(error.message);
  const trouble = troubleOfDatabase(error);
  if (trouble === 'lost') return unavailable(new Unreachable(error).message);
  if (trouble === 'full')
    return unavailable(
      `The disk of the database is full, or its memory: make room, then try again (${error.message}).`,
    );
  return { code: 'internal', message: error.message };
}
