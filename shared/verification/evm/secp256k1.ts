import { createRequire } from 'node:module';
import type * as Library from 'tiny-secp256k1';

/** The curve secp256k1, loaded on first use: its WebAssembly takes 4 MB, and most deployments have no chain signatures for a long time. */
export const secp256k1 = (): typeof Library => (library ??= require('tiny-secp256k1') as typeof Library);

const require = createRequire(import.meta.url);
let library: typeof Library | undefined;
