import { createHash } from 'node:crypto';
import { canonicalJson } from '#shared/json/canonical_json.ts';

type Leaf = { seq: number; received_at: string; event_digest: string };

/** The bytes that stand for an event in the log: RFC 8785 text of its position, arrival and digest (lower-case hex SHA-256). */
export const leafText = ({ seq, received_at, event_digest }: Leaf): string =>
  canonicalJson({ v: 1, seq, received_at, event_digest });

/** RFC 6962 §2.1 leaf hash: SHA-256 over 0x00 and the leaf's bytes. */
export const leafHash = (leaf: Leaf): Buffer =>
  createHash('sha256').update(Buffer.of(0)).update(leafText(leaf)).digest();
