import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'ava';
import { openDesk } from '#test/helpers/desk.ts';
import { anchorsOf, type CodeBlock, blocksOf, linksOf, missingIn } from '#test/helpers/papers.ts';
import { until } from '#test/helpers/until.ts';

/** The documents in the order in which one reads them; what stands in one may rest on those before it. */
const papers = [
  'README.md',
  'docs/integrating.md',
  'docs/webhooks.md',
  'docs/operating.md',
  'docs/security.md',
  ...globSync('docs/concepts/*.md').toSorted(),
  ...globSync('docs/decisions/*.md').toSorted(),
  'docs/CONTRIBUTING.md',
  'docs/glossary.md',
];

const blocks = papers.flatMap(blocksOf);
const place = ({ path, line }: CodeBlock) => `${path}:${line}`;
const isRun = ({ info }: CodeBlock) => /^(run|serve)$/.test(info);
const shell = spawnSync('bash', ['-c', 'curl --version']).status === 0;
const shellTest = shell ? test : test.skip;

test('every document has its place in the order of reading', t => {
  t.deepEqual(globSync('docs/**/*.md').toSorted(), papers.filter(path => path.startsWith('docs/')).toSorted());
});

test('every block of commands is run, or says why not', t => {
  const commands = blocks.filter(({ language }) => /^(?:sh|bash|ts|tsx|js|)$/.test(language));
  const silent = commands.filter(block => !isRun(block) && !/^not run: \S/.test(block.note));
  t.deepEqual(silent.map(place), []);
});

shellTest('the commands of the documents do what these say', async t => {
  const desk = await openDesk(t);
  // Commands of the operator run in this process, and write where it is.
  t.teardown(() => rmSync('night.backup', { force: true }));
  let former: CodeBlock | undefined;
  let answer = '';
  let served: (() => string) | undefined;
  for (const block of blocks) {
    if (block.info === 'serve') served = await desk.serve(block);
    else if (block.info === 'run') {
      former = block;
      const { code, text } = await (block.language === 'ts' ? desk.ts : desk.sh)(block.text);
      answer = text;
      if (code !== 0) return t.fail(`${place(block)}\n${block.text}\n${text}`);
      // What stands after a program that serves makes it print what came.
      const said = served;
      if (said) await until(() => /^received alert\.created /m.test(said()));
      served = undefined;
    } else if (block.info === 'prints') {
      // What is asked for before it has come to be is asked for again.
      for (let tries = 0; faultOf(block, answer) && former?.text.startsWith('curl') && tries < 50; tries += 1) {
        await new Promise(resolve => setTimeout(resolve, 100));
        ({ text: answer } = await desk.sh(former.text));
      }
      const fault = faultOf(block, answer);
      if (fault) return t.fail(`${place(block)} ${fault}:\n${answer}`);
    }
  }
  return t.pass();
});

/** What a block shows that the answer does not have: of JSON its members, of text its lines. */
function faultOf({ language, text }: CodeBlock, answer: string): string | null {
  if (language !== 'json') return text.split('\n').find(line => !answer.includes(line.replace(/…$/, ''))) ?? null;
  const start = answer.search(/^[[{]/m);
  if (start < 0) return 'shows JSON';
  try {
    return missingIn(JSON.parse(text), JSON.parse(answer.slice(start)));
  } catch {
    return 'shows one document of JSON';
  }
}

test('links between documents and to files lead somewhere', t => {
  const broken = [...papers, 'CHANGELOG.md', 'SECURITY.md', 'shared/packs/format.md'].flatMap(path =>
    linksOf(path)
      .filter(({ target }) => !isThere(path, target))
      .map(({ target, line }) => `${path}:${line} ${target}`),
  );
  t.deepEqual(broken, []);
});

function isThere(path: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const found = file === '' ? path : relative('.', join(dirname(path), file));
  return existsSync(found) && (anchor === undefined || anchorsOf(found).includes(anchor));
}

test('files that the documents name are there', t => {
  const named = papers.flatMap(path =>
    [...readFileSync(path, 'utf8').matchAll(/`((?:api|bin|docs|shared|sql|test|workers)\/[\w./-]+)`/g)].map(
      ([, name = '']) => ({ path, name }),
    ),
  );
  t.deepEqual(
    named.filter(({ name }) => !existsSync(name)),
    [],
  );
});

test('npm scripts that the documents name are there', t => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const named = papers.flatMap(path =>
    [...readFileSync(path, 'utf8').matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g)].map(([, name = '']) => name),
  );
  t.deepEqual(
    [...new Set(named)].filter(name => !Object.hasOwn(scripts, name)),
    [],
  );
});

test('the README stays short', t => t.true(readFileSync('README.md', 'utf8').split('\n').length <= 151));
