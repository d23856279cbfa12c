import { readFileSync } from 'node:fs';

/** A fenced block of a document: its language, what its fence says besides, and what `<!-- … -->` on the line above says. */
export type CodeBlock = { path: string; line: number; language: string; info: string; note: string; text: string };

/** The fenced blocks of a Markdown file, in order. Throws where a fence is not closed. */
export function blocksOf(path: string): CodeBlock[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  const blocks: CodeBlock[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, fence, language = '', info = ''] = /^(`{3,})(\S*)\s*(.*)$/.exec(lines[at] ?? '') ?? [];
    if (!fence) continue;
    const end = lines.indexOf(fence, at + 1);
    if (end < 0) throw new Error(`${path}:${at + 1}: the fence is not closed`);
    const note = /^<!-- (.*) -->$/.exec(lines[at - 1] ?? '')?.[1] ?? '';
    const text = lines.slice(at + 1, end).join('\n');
    blocks.push({ path, line: at + 1, language, info: info.trim(), note, text });
    at = end;
  }
  return blocks;
}

/** The targets of a Markdown file's links within the repository, each with its line. */
export function linksOf(path: string): { target: string; line: number }[] {
  const text = readFileSync(path, 'utf8').replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, fenced =>
    '\n'.repeat(fenced.split('\n').length - 1),
  );
  return text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ target, line: index + 1 })),
    )
    .filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** The anchors that a Markdown file's headings make. */
export const anchorsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/**
 * Where an answer does not have what a sample of it shows: every member of the sample, with a value of the same type, and of an array
 * one element like each of the sample's. Null where it has all of it.
 */
export function missingIn(sample: unknown, answer: unknown, at = ''): string | null {
  if (Array.isArray(sample)) {
    if (!Array.isArray(answer)) return at;
    const lacking = sample.findIndex(item => answer.every(each => missingIn(item, each) !== null));
    return lacking < 0 ? null : `${at}/${lacking}`;
  }
  if (typeof sample !== 'object' || sample === null)
    return typeof sample === typeof answer && (sample === null) === (answer === null) ? null : at || '/';
  if (typeof answer !== 'object' || answer === null) return at || '/';
  for (const [name, value] of Object.entries(sample)) {
    const missing = missingIn(value, (answer as Record<string, unknown>)[name], `${at}/${name}`);
    if (missing) return missing;
  }
  return null;
}
