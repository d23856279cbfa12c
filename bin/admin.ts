import { Command, CommanderError } from 'commander';
import { readConfig } from '#shared/config.ts';
import { isLostDatabase } from '#shared/db.ts';
import { asError, type Detail, Problem, unavailable } from '#shared/errors.ts';
import { newId } from '#shared/ids.ts';
import { createServices, openDatabase, type Services } from '#shared/services.ts';
import { migrate } from '#sql/migrate.ts';
import { commands } from './admin/index.ts';
import type { AdminCommand } from './admin/command.ts';
import { print } from './admin/print.ts';

// The operator's tool: `npm run -s admin -- <command> [--json]`. Works beside a running service and without one.
const json = process.argv.includes('--json');
const program = new Command('npm run -s admin --')
  .description("The operator's tool. With --json it prints one JSON document; errors go to stderr as the error body.")
  .helpCommand(false)
  .option('--json', 'print one JSON document')
  .exitOverride()
  .configureOutput({ writeErr: text => json || process.stderr.write(text) });

for (const command of commands) addCommand(command);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) process.exit(0);
    const isHelp = error.code === 'commander.help';
    const message = isHelp ? 'Name a command; --help lists them.' : error.message.replace(/^error: /, '');
    if (json) fail(new Problem('invalid_request', message));
    process.exit(2);
  }
  fail(error);
  process.exit(1);
}

function addCommand({ name, summary, options, argument, run, failed }: AdminCommand): void {
  const [group = '', verb] = name.split(' ');
  const command = verb ? groupOf(group).command(verb) : program.command(group);
  command.description(summary).option('--json', 'print one JSON document').exitOverride();
  command.configureOutput({ writeErr: text => json || process.stderr.write(text) });
  for (const { flags, about, required } of options) {
    if (required) command.requiredOption(flags, about);
    else command.option(flags, about);
  }
  if (argument) command.argument(argument.name, argument.about);
  command.action(async (...given: unknown[]) => {
    const [value, flags] = argument ? [given[0], given[1]] : [undefined, given[0]];
    const chosen = flags as Record<string, string | undefined>;
    for (const [option, text] of Object.entries(chosen)) {
      // In `org create --name --json` the name was forgotten; `--name=--json` would mean it.
      if (typeof text === 'string' && text.startsWith('--') && process.argv.includes(text))
        command.error(`error: --${option} needs a value; ${text} is an option`);
    }
    const asked = { ...chosen, argument: value as string | undefined, json: json ? 'true' : undefined };
    const result = await withServices(services => run(asked, services));
    if (result !== undefined) process.stdout.write(json ? `${JSON.stringify(result)}\n` : print(result));
    if (failed?.(result)) process.exitCode = 1;
  });
}

function groupOf(name: string): Command {
  const known = program.commands.find(candidate => candidate.name() === name);
  if (known) return known;
  const verbs = commands.map(command => command.name.split(' ')).filter(([group]) => group === name);
  const group = program.command(name).description(verbs.map(([, verb]) => verb).join(', '));
  return group.helpCommand(false).option('--json', 'print one JSON document').exitOverride();
}

/** Opens the database (starting the embedded one if nobody has) and brings it up to date, which waits for others that do the same. */
async function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  const config = readConfig({ LOG_LEVEL: 'silent' });
  const database = await openDatabase(config);
  try {
    await migrate(database.owner_url);
    const services = await createServices(config, database, 'admin');
    try {
      return await work(services);
    } finally {
      await services.close();
    }
  } finally {
    await database.embedded?.close();
  }
}

function fail(thrown: unknown): void {
  const { code, message, details } = describe(thrown);
  if (json)
    process.stderr.write(
      `${JSON.stringify({ error: { code, message, ...(details && { details }) }, request_id: newId('req') })}\n`,
    );
  else process.stderr.write(`${message}\n`);
}

function describe(thrown: unknown): { code: string; message: string; details?: Detail[] | undefined } {
  if (thrown instanceof Problem) return thrown;
  const error: Error & { code?: unknown } = asError(thrown);
  if (isLostDatabase(error))
    return unavailable(`The database cannot be reached (${String(error.code ?? error.message)}). Check DATABASE_URL.`);
  return { code: 'internal', message: error.message };
}
