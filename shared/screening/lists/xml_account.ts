import type { Accounting } from '#shared/screening/account.ts';
import type { XmlElement } from './xml_elements.ts';

/** Which elements of a record a reader takes, and which are known to be of no use: paths within the record, such as `idList/id/idType`. */
type KnownPaths = { taken: ReadonlySet<string>; unused: ReadonlySet<string> };

/** Writes paths down: `a: b c` stands for `a/b` and `a/c`, `: b c` for `b` and `c`. */
export const paths = (...lines: string[]): Set<string> =>
  new Set(
    lines.flatMap(line => {
      const [parent = '', children = ''] = line.split(':');
      return children
        .trim()
        .split(/\s+/)
        .map(child => (parent.trim() ? `${parent.trim()}/${child}` : child));
    }),
  );

/** Accounts for the texts of a record that its reader does not take: of no use where that is known, and else not understood. */
export function accountForRest(account: Accounting, record: XmlElement, { taken, unused }: KnownPaths) {
  const visit = (element: XmlElement, path: string) => {
    const text = element.text.trim();
    if (text !== '' && !taken.has(path)) {
      if (unused.has(path)) account.pass();
      else account.miss(path, text);
    }
    for (const child of element.children) visit(child, path ? `${path}/${child.name}` : child.name);
  };
  visit(record, '');
}
