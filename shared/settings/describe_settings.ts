import type { Setting } from './setting.ts';
import { settings } from './settings.ts';

const entries: readonly [string, Setting][] = Object.entries(settings);

/** What `--help` of a program prints: how it is called, and the settings. */
export const helpText = (usage: string): string => `${usage}\n\n${settingsHelp()}`;

/** The settings as `--help` shows them. */
export function settingsHelp(): string {
  const lines = entries.flatMap(([name, setting]) => [
    `  ${name} (${plain(otherwiseOf(setting))})`,
    ...folded(plain(setting.about), 90).map(line => `      ${line}`),
  ]);
  return `Settings, from the environment; NAME_FILE may name a file that holds the value, and NAME_COMMAND a command that prints it:\n\n${lines.join('\n')}\n`;
}

const BEGIN = '<!-- settings: written by `npm run settings` -->\n';
const END = '<!-- /settings -->';

/** A Markdown text with the table of the settings where its two marks are. Throws an Error where it has none. */
export function withSettingsTable(markdown: string): string {
  const begin = markdown.indexOf(BEGIN);
  const end = markdown.indexOf(END, begin);
  if (begin < 0 || end < 0) throw new Error(`The text lacks the marks ${BEGIN.trim()} and ${END}.`);
  return markdown.slice(0, begin + BEGIN.length) + settingsTable() + markdown.slice(end);
}

function settingsTable(): string {
  const rows = entries.map(([name, setting]) => `| \`${name}\` | ${otherwiseOf(setting)} | ${setting.about} |\n`);
  return `\n| setting | default | |\n|---|---|---|\n${rows.join('')}\n`;
}

const otherwiseOf = ({ otherwise, default: text }: Setting): string =>
  otherwise ?? (typeof text === 'string' ? `\`${text}\`` : 'unset');

const plain = (markdown: string) => markdown.replaceAll('`', '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');

function folded(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
