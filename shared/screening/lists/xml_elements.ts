import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { ListError } from './list_error.ts';
import type { TextSource } from './list_format.ts';

/** An element with all that is in it. Names are without prefix; `text` is the element's own, joined. */
export type XmlElement = {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: XmlElement[];
  line: number;
};

const DEEPEST = 64;
/** No text, attribute or tag of a publisher is longer: 1 MB of characters. */
const LONGEST = 1_024 * 1_024;
/** What a wanted element may hold, so that one that never ends does not fill the memory. */
const MOST_ELEMENTS = 200_000;
const MOST_TEXT = 16 * LONGEST;
/** The cap on what is in between two events is looked at after so many characters. */
const SLICE = 64 * 1_024;

/**
 * Reads an XML file as it streams in, and gives the elements called `wanted` (the outermost ones), those of a chunk at once.
 * The rest is checked and forgotten. Fails with `ListError` where the root is not one of `roots`, on XML that is cut off or
 * not well-formed, on any DOCTYPE (so no entity can be declared), and on what no list has: 65 levels, a text over 1 MB.
 */
export async function* xmlElements(
  { name, chunks }: TextSource,
  { roots, wanted }: { roots: readonly string[]; wanted: ReadonlySet<string> },
): AsyncGenerator<XmlElement[]> {
  let batch: XmlElement[] = [];
  const open: XmlElement[] = [];
  let depth = 0;
  let marked = 0;
  let elements = 0;
  let characters = 0;
  const parser = new SaxesParser({ xmlns: false, fileName: name });
  const refuse = (what: string): never => {
    throw new ListError(name, parser.line, what);
  };

  parser.on('error', error => refuse(`is not well-formed XML: ${error.message.replace(/^.*?:\d+:\d+: /, '')}`));
  parser.on('doctype', () => refuse('a DOCTYPE declaration, which no list has; fetch the file again'));
  parser.on('opentag', (tag: SaxesTagPlain) => {
    marked = parser.position;
    const element = toElement(tag, parser.line);
    if (depth === 0 && !roots.includes(element.name))
      refuse(
        `the root element is <${element.name}> instead of <${roots.join('> or <')}>; this is another list or format`,
      );
    depth += 1;
    if (depth > DEEPEST) refuse(`elements are nested more than ${DEEPEST} levels deep`);
    const parent = open.at(-1);
    if (!parent && !wanted.has(element.name)) return;
    elements = parent ? elements + 1 : 1;
    if (elements > MOST_ELEMENTS) refuse(`one <${open[0]?.name}> holds more than ${MOST_ELEMENTS} elements`);
    if (!parent) characters = 0;
    parent?.children.push(element);
    open.push(element);
  });
  const addText = (text: string) => {
    marked = parser.position;
    const element = open.at(-1);
    if (!element) return;
    characters += text.length;
    if (characters > MOST_TEXT) refuse(`one <${open[0]?.name}> holds more than 16 MB of text`);
    if (element.text.length > 0 || /\S/.test(text)) element.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    marked = parser.position;
    depth -= 1;
    const element = open.pop();
    if (element && open.length === 0) batch.push(element);
  });
  parser.on('comment', () => {
    marked = parser.position;
  });

  for await (const chunk of chunks) {
    if (parser.position === 0 && !/^\s*<|^\s*$/.test(chunk)) refuse('is not XML: it does not begin with "<"');
    for (let from = 0; from < chunk.length; from += SLICE) {
      parser.write(chunk.slice(from, from + SLICE));
      if (parser.position - marked > LONGEST) refuse('a text, tag or comment is longer than 1 MB');
    }
    if (batch.length > 0) yield batch;
    batch = [];
  }
  const unclosed = open.at(-1)?.name;
  if (depth > 0)
    refuse(
      `the file ends ${unclosed ? `within <${unclosed}>` : 'before its root element is closed'}; it is cut off, fetch it again`,
    );
  parser.close();
  if (batch.length > 0) yield batch;
}

const toElement = ({ name, attributes }: SaxesTagPlain, line: number): XmlElement => ({
  name: name.slice(name.indexOf(':') + 1),
  attributes,
  text: '',
  children: [],
  line,
});

export const childrenOf = (element: XmlElement, name: string): XmlElement[] =>
  element.children.filter(child => child.name === name);

/** The text at the end of a path of first children, trimmed; '' where there is none. */
export function textAt(element: XmlElement, ...path: string[]): string {
  let at: XmlElement | undefined = element;
  for (const name of path) at = at?.children.find(child => child.name === name);
  return at?.text.trim() ?? '';
}

/** The texts of all children of that name that have one, trimmed. */
export const textsOf = (element: XmlElement, name: string): string[] =>
  childrenOf(element, name).flatMap(child => child.text.trim() || []);
