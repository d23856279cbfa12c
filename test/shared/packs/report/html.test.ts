import { createHash } from 'node:crypto';
import test from 'ava';
import { SaxesParser } from 'saxes';
import { reportHtml, reportStyle, SHARE_BAR } from '#shared/packs/report/html.ts';
import { fullPack } from '#test/helpers/full_pack.ts';
import { hostile, hostilePack } from '#test/helpers/hostile_pack.ts';
import { reportOf } from '#test/helpers/pack_report.ts';

/** Every element with its attributes, and all text; throws where it is not well-formed. */
function parse(html: string) {
  const elements: { name: string; attributes: Record<string, string> }[] = [];
  const texts: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', error => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => elements.push({ name, attributes }));
  parser.on('text', text => texts.push(text));
  parser.write(html).close();
  return { elements, text: texts.join('\n') };
}

const pages = { usual: reportHtml(reportOf(fullPack())), hostile: reportHtml(reportOf(hostilePack())) };

for (const [name, html] of Object.entries(pages))
  test(`the page is one file that runs nothing and loads nothing, with ${name} names in it`, t => {
    const { elements } = parse(html);
    const names = new Set(elements.map(element => element.name));
    for (const unwanted of ['script', 'img', 'link', 'iframe', 'object', 'form', 'base', 'use', 'image'])
      t.false(names.has(unwanted), unwanted);
    for (const { attributes } of elements)
      for (const [attribute, value] of Object.entries(attributes)) {
        t.notRegex(attribute, /^(on|style$|src|srcset|action|xlink|data$)/);
        if (attribute === 'href') t.regex(value, /^#[a-z]\w*$/);
      }
    t.notRegex(reportStyle, /url\(|@import|<|&/);
    t.is(elements.filter(element => element.name === 'style').length, 1);
  });

test('what comes from outside is text and nothing else', t => {
  const { text, elements } = parse(pages.hostile);
  for (const name of hostile.filter(each => each !== SHARE_BAR && /[<>&"]/.test(each)))
    t.false(pages.hostile.includes(name), name);
  t.true(text.includes('<script>alert(1)</script>'));
  t.true(text.includes(SHARE_BAR));
  t.true(elements.filter(({ attributes }) => attributes['dir'] === 'auto').length > 20);
  t.notRegex(pages.hostile, /[\u202A-\u202E\u2066-\u2069\u200E\u200F]/);
});

test('a page around it finds one place for a line of its own, where the body begins', t => {
  for (const html of Object.values(pages)) {
    t.is(html.split(SHARE_BAR).length, 2);
    t.true(html.includes(`<body>${SHARE_BAR}`));
  }
});

test('the policy within it allows its own style sheet and nothing else', t => {
  const { elements } = parse(pages.usual);
  const policy = elements.find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy');
  const style = /<style>([^]*?)<\/style>/.exec(pages.usual)?.[1] ?? '';
  t.is(style, reportStyle);
  const hash = createHash('sha256').update(style).digest('base64');
  t.is(policy?.attributes['content'], `default-src 'none'; style-src 'sha256-${hash}'`);
});

test('#7 leads to the row of the event, and no link leads nowhere', t => {
  const { elements } = parse(pages.usual);
  const ids = elements.flatMap(({ attributes }) => attributes['id'] ?? []);
  t.is(new Set(ids).size, ids.length);
  const links = elements.flatMap(({ attributes }) => attributes['href'] ?? []);
  t.true(links.includes('#e7'));
  t.deepEqual(
    links.filter(link => !ids.includes(link.slice(1))),
    [],
  );
});

test('every table has a caption and heads for its columns and rows', t => {
  const { elements } = parse(pages.usual);
  const count = (name: string, scope?: string) =>
    elements.filter(element => element.name === name && (!scope || element.attributes['scope'] === scope)).length;
  t.is(count('caption'), count('table'));
  t.is(count('th', 'col') + count('th', 'row'), count('th'));
  t.true(
    elements
      .filter(({ attributes }) => attributes['role'] === 'img')
      .every(({ attributes }) => attributes['aria-label']),
  );
});
