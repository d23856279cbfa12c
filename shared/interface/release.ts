import { readFileSync } from 'node:fs';

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

/** The version of this release (semver), of both the package and the interface. */
export const release = (JSON.parse(manifest) as { version: string }).version;
