import { createHash } from 'node:crypto';
import type { FragmentSqlToken } from 'slonik';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { sql } from '#shared/platform/db.ts';

type Leaf = { seq: number; received_at: string; event_digest: string };

/** The bytes of an event's leaf: RFC 8785 text of its position, arrival and digest (lower-case hex SHA-256). */
export const leafText = ({ seq, received_at, event_digest }: Leaf): string =>
  canonicalJson({ v: 1, seq, received_at, event_digest });

/** RFC 6962 §2.1 leaf hash: SHA-256 over 0x00 and the leaf's bytes. */
export const leafHash = (leaf: Leaf): Buffer =>
  createHash('sha256').update(Buffer.of(0)).update(leafText(leaf)).digest();

/** The same hash in SQL, from the columns of a statement: `seq` as a number, `received_at` and `event_digest` as text. A test holds the two together. */
export const leafHashSql = ({ seq, received_at, event_digest }: { [Member in keyof Leaf]: FragmentSqlToken }) =>
  sql.fragment`sha256('\\x00'::bytea || convert_to(
    '{"event_digest":"' || ${event_digest} || '","received_at":"' || ${received_at} || '","seq":' || ${seq} || ',"v":1}', 'UTF8'))`;
