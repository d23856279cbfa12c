import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';
import test from 'ava';

const root = new URL('..', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');

/** Names as lists and payment services spell them are no words of ours. */
const data = new Set(['shared/screening/matcher/names/common_words.ts']);

test('no text that people read uses a phrase that the glossary replaces', async t => {
  const phrases = bannedIn(await read('docs/glossary.md'));
  t.true(phrases.length > 40);
  const paths = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  const found: string[] = [];
  for (const path of paths.filter(isRead)) {
    const text = path.endsWith('.md') ? proseOf(path, await read(path)) : await withoutComments(path, await read(path));
    found.push(...offensesIn(text, phrases).map(offense => `${path}: ${offense}`));
  }
  t.deepEqual(found, []);
});

test('a phrase is found in a literal, in a template and in JSX over several lines, and not in a comment', async t => {
  const phrases = bannedIn(
    '## Wording\n\n| write | not |\n|---|---|\n| Save changes | `Set it so` |\n| anyone | `anybody` |\n',
  );
  const offenses = async (source: string) => offensesIn(await withoutComments('page.tsx', source), phrases).length;
  t.is(await offenses(`const label = 'Set it so';`), 1);
  t.is(await offenses('const text = `Anybody ${1}`;'), 1);
  t.is(await offenses('const page = <p>\n  Set\n  it so\n</p>;'), 1);
  t.is(await offenses('// Set it so\nconst isSetItSo = /* anybody */ true;'), 0);
});

/** The phrases of the second column of the table under “Wording”. */
function bannedIn(glossary: string): RegExp[] {
  const [, wording = ''] = glossary.split('## Wording');
  const rows = wording.split('\n').filter(line => line.startsWith('| ') && !line.startsWith('| write '));
  return rows.flatMap(row =>
    [...(row.split('|')[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, phrase = '']) => asPattern(phrase)),
  );
}

/** A phrase as it stands or with a capital first letter, at the beginning of a word. */
const asPattern = (phrase: string): RegExp =>
  new RegExp(
    `\\b[${phrase.charAt(0)}${phrase.charAt(0).toUpperCase()}]${phrase.slice(1).replaceAll(' ', '\\s+')}`,
    'g',
  );

const isRead = (path: string): boolean =>
  (/^(api|shared|workers|bin)\/.*\.tsx?$/.test(path) && !data.has(path)) ||
  /^(README|SECURITY|docs\/.*)\.md$/.test(path);

/** The wording of the glossary names what it replaces. */
const proseOf = (path: string, text: string): string =>
  path === 'docs/glossary.md' ? (text.split('## Wording')[0] ?? '') : text;

/** Code as it runs: its texts, and none of its comments. */
async function withoutComments(path: string, source: string): Promise<string> {
  const loader = path.endsWith('x') ? 'tsx' : 'ts';
  const { code } = await transform(source, {
    loader,
    jsx: 'preserve',
    charset: 'utf8',
    minifyWhitespace: true,
    legalComments: 'none',
  });
  return code;
}

const offensesIn = (text: string, phrases: RegExp[]): string[] =>
  phrases.flatMap(phrase => [...text.matchAll(phrase)].map(([words]) => words.replaceAll(/\s+/g, ' ')));
