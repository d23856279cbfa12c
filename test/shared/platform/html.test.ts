import test from 'ava';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { documentText, html, htmlText } from '#shared/platform/html.ts';

test('whatever is put in stays text, in an element and in an attribute', t => {
  const text = `<b a="1" b='2'>&amp; ]]>`;
  t.is(
    htmlText(html`<p title=${text}>${text} ${[text]}</p>`),
    `<p title="&lt;b a=&quot;1&quot; b='2'>&amp;amp; ]]&gt;">${`&lt;b a=&quot;1&quot; b='2'>&amp;amp; ]]&gt; `.repeat(2).trim()}</p>`,
  );
});

test('any printable text is read back as it was put in, by a strict parser', t => {
  const printable = fc.string({ unit: 'grapheme-ascii' });
  const parsed = (document: string) => {
    const seen = { title: '', text: '' };
    const parser = new SaxesParser();
    parser.on('error', error => {
      throw error;
    });
    parser.on('opentag', ({ attributes }) => (seen.title = attributes['title'] ?? seen.title));
    parser.on('text', text => (seen.text += text));
    parser.write(document).close();
    return seen;
  };
  fc.assert(
    fc.property(printable, printable, (title, text) => {
      const document = documentText(html`<html><p title=${`t${title}`}>${`x${text}`}</p></html>`);
      t.deepEqual(parsed(document.trim().replace(/^.*\n/, '')), { title: `t${title}`, text: `x${text}` });
    }),
  );
  t.pass();
});

test('an attribute that is false is left out, one that is nothing or zero is not', t => {
  t.is(htmlText(html`<td class=${false} id=${undefined} colspan=${0}></td>`), '<td colspan="0"></td>');
});
