import { Command, CommanderError } from 'commander';
import { readConfig } from '#shared/config.ts';
import { asError, Problem } from '#shared/errors.ts';
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
  .exitOverride()
  .configureOutput({ writeErr: text => json || process.stderr.write(text) });

for (const command of commands) addCommand(command);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) process.exit(0);
    if (json) fail(new Problem('invalid_request', error.message.replace(/^error: /, '')));
    process.exit(2);
  }
  fail(error);
  process.exit(1);
}

function addCommand({ name, summary, options, argument, run }: AdminCommand): void {
  const [group = '', verb] = name.split(' ');
  const parent = program.commands.find(known => known.name() === group) ?? program.command(group).exitOverride();
  const command = verb ? parent.command(verb) : parent;
  command.description(summary).option('--json', 'print one JSON document').exitOverride();
  command.configureOutput({ writeErr: text => json || process.stderr.write(text) });
  for (const { flags, about, required } of options) {
    if (required) command.requiredOption(flags, about);
    else command.option(flags, about);
  }
  if (argument) command.argument(argument.name, argument.about);
  command.action(async (...given: unknown[]) => {
    const [value, flags] = argument ? [given[0], given[1]] : [undefined, given[0]];
    const result = await withServices(services =>
      run({ ...(flags as Record<string, string | undefined>), argument: value as string | undefined }, services),
    );
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : print(result));
  });
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
  const { code, message, details } =
    thrown instanceof Problem ? thrown : { code: 'internal', message: asError(thrown).message, details: undefined };
  if (json)
    process.stderr.write(
      `${JSON.stringify({ error: { code, message, ...(details && { details }) }, request_id: newId('req') })}\n`,
    );
  else process.stderr.write(`${message}\n`);
}
