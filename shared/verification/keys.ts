import type { JWK } from 'jose';
import type { BelievedKey, KeyResolver, KeyUse } from './verifier.ts';

/** A trusted key as it is stored. Times are milliseconds since 1970; `certificate` (PEM) is set for roots. */
export type KeyRow = {
  kid: string;
  use: KeyUse | 'any';
  issuer: string | null;
  kind: 'jwk' | 'x5c_root';
  jwk: JWK;
  certificate: string | null;
  thumbprint: string;
  not_before: number | null;
  not_after: number | null;
};

/**
 * Looks up keys among rows read earlier, at a cost that does not grow with their number. A key is valid from `not_before` (inclusive) to
 * `not_after` (exclusive). A root certificate vouches for chains only: its own key signs nothing else.
 */
export function createKeyResolver(rows: readonly KeyRow[], sourceJwk: JWK | null): KeyResolver {
  const keys = rows.filter(row => row.kind === 'jwk').map(held);
  const roots = rows.flatMap(row =>
    row.certificate === null || row.kind === 'jwk' ? [] : [heldRoot(row, row.certificate)],
  );
  const byName = new Map<string, KeyTerm<BelievedKey>[]>();
  for (const key of keys) for (const name of new Set([key.item.kid, key.item.thumbprint])) addTo(byName, name, key);
  const keysOf = byUse(keys);
  const rootsOf = byUse(roots);
  return {
    find: ({ use, kid, at }) =>
      kid === undefined ? serving(keysOf(use), at) : serving((byName.get(kid) ?? []).filter(serves(use)), at),
    roots: ({ use, at }) => serving(rootsOf(use), at),
    source: () => sourceJwk,
  };
}

/** A key or root, with its use and its period of validity. */
type KeyTerm<T> = { item: T; use: KeyRow['use']; from: number; until: number };

const held = ({ kid, thumbprint, issuer, jwk, ...row }: KeyRow): KeyTerm<BelievedKey> => ({
  item: { kid, thumbprint, issuer, jwk },
  ...period(row),
});

const heldRoot = (
  { issuer, ...row }: KeyRow,
  certificate: string,
): KeyTerm<{ certificate: string; issuer: string | null }> => ({
  item: { certificate, issuer },
  ...period(row),
});

const period = ({ use, not_before, not_after }: Pick<KeyRow, 'use' | 'not_before' | 'not_after'>) => ({
  use,
  from: not_before ?? -Infinity,
  until: not_after ?? Infinity,
});

const serves = (use: KeyUse) => (key: KeyTerm<unknown>) => key.use === use || key.use === 'any';

const serving = <T>(list: readonly KeyTerm<T>[], at: number): T[] =>
  list.filter(({ from, until }) => from <= at && at < until).map(({ item }) => item);

/** The lists of each use, built on first use. */
function byUse<T>(list: readonly KeyTerm<T>[]) {
  const lists = new Map<KeyUse, KeyTerm<T>[]>();
  return (use: KeyUse): readonly KeyTerm<T>[] => {
    const keys_of_use = lists.get(use) ?? list.filter(serves(use));
    lists.set(use, keys_of_use);
    return keys_of_use;
  };
}

function addTo<T>(map: Map<string, T[]>, name: string, item: T): void {
  const list = map.get(name);
  if (list) list.push(item);
  else map.set(name, [item]);
}
