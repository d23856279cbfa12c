import { Command, Option } from 'commander';
import { Problem } from '#shared/interface/errors.ts';
import { settingsHelp } from '#shared/settings/describe_settings.ts';
import type { AdminCommand, Shell } from './command.ts';

type OptionValues = Record<string, string | undefined>;
type Act = (command: AdminCommand, options: OptionValues, words: readonly string[]) => Promise<void>;

/** The commands as Commander reads them from what was typed. It writes help and what is wrong to the shell, throws a CommanderError instead of ending the process, and calls `act` for what is sound. */
export function programOf(
  commands: readonly AdminCommand[],
  words: readonly string[],
  shell: Shell,
  act: Act,
): Command {
  const json = words.includes('--json');
  const program = new Command('npm run -s admin --')
    .description("The operator's tool. With --json it prints one JSON document; errors go to stderr as the error body.")
    .helpCommand(false)
    .addHelpText('after', `\n${settingsHelp()}`)
    .option('--json', 'print one JSON document')
    .exitOverride()
    .configureOutput({
      writeOut: text => shell.stdout.write(text),
      writeErr: text => json || shell.stderr.write(withoutValue(text)),
    });
  for (const definition of commands) {
    const { name, summary, options, argument } = definition;
    const [group = '', verb] = name.split(' ');
    const command = verb ? groupOf(program, group, commands).command(verb) : program.command(group);
    command.description(summary).option('--json', 'print one JSON document');
    // Required ones are asked for below: Commander would do so before it tells of an option that it does not know.
    for (const { flags, about } of options) command.option(flags, about);
    if (argument) command.argument(argument.name, argument.about);
    command.action(async (...args: unknown[]) => {
      const [value, flags] = argument ? [args[0], args[1]] : [undefined, args[0]];
      const chosen = flags as OptionValues;
      for (const { flags: option, required } of options) {
        if (!required || chosen[new Option(option).attributeName()] !== undefined) continue;
        if (required === true) command.error(`error: required option '${option}' not specified`);
        else if (chosen[required.unless] === undefined)
          command.error(`error: required option '${option}' not specified, unless there is --${required.unless}`);
      }
      for (const [option, text] of Object.entries(chosen)) {
        // In `org create --name --json` the name was forgotten; `--name=--json` would mean it.
        if (typeof text === 'string' && text.startsWith('--') && words.includes(text))
          command.error(`error: --${option} needs a value; ${text} is an option`);
      }
      const all = (Array.isArray(value) ? value : [value]) as (string | undefined)[];
      await act(
        definition,
        { ...chosen, argument: all[0] },
        all.filter(each => each !== undefined),
      );
    });
  }
  return program;
}

/** What an unknown option was given may be a secret. */
export const withoutValue = (message: string): string => message.replace(/(unknown option '[^=']*)=[^]*'/, "$1'");

/** What was typed cannot be meant: the tool exits with 2. `path` is `/url` for `--url`. */
export class Mistyped extends Problem {
  constructor(path: string, code: string, message: string) {
    super('invalid_request', message, { details: [{ path, code, message }] });
  }
}

function groupOf(program: Command, name: string, commands: readonly AdminCommand[]): Command {
  const existing = program.commands.find(candidate => candidate.name() === name);
  if (existing) return existing;
  const verbs = commands.map(command => command.name.split(' ')).filter(([group]) => group === name);
  const group = program.command(name).description(verbs.map(([, verb]) => verb).join(', '));
  return group.helpCommand(false).option('--json', 'print one JSON document');
}
