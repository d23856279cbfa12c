import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const bytes = readFileSync(new URL('./verify.mjs', import.meta.url));

/** The program that checks packs (`verify.mjs`), as packs carry it and `GET /verify.mjs` serves it, with its SHA-256 in lower-case hex. */
export const verifier = { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
