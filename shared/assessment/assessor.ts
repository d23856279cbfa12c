import { getHeapStatistics } from 'node:v8';
import { type BookEntry, sizeOfBook } from './books.ts';
import { createTrustReader, type TrustReader } from './trust.ts';
import { createRangeCache, type RangeCache } from '#shared/events/ranges/range_cache.ts';
import { createRateTable, type RateTable } from '#shared/events/input/fx_rates.ts';
import type { Services } from '#shared/platform/services.ts';
import { verifiers } from '#shared/verification/index.ts';
import type { Verifier } from '#shared/verification/verifier.ts';

/** The dependencies of assessment besides the database; created once per process. */
export type Assessor = {
  verifiers: readonly Verifier[];
  readTrust: TrustReader;
  rates: RateTable;
  /** Networks (CAIP-2) whose chains can be read. */
  networks: ReadonlySet<string>;
  /** Books of mandates, kept between ranges. */
  books: RangeCache<BookEntry>;
};

/** A sixth of the heap this process may use, at about 200 bytes an entry. */
const MOST_ENTRIES = Math.floor(getHeapStatistics().heap_size_limit / 6 / 200);

/** The assessor of this process. */
export const createAssessor = ({ db, config, now }: Pick<Services, 'db' | 'config' | 'now'>): Assessor => ({
  verifiers,
  readTrust: createTrustReader(config.secret_key),
  rates: createRateTable(db, now),
  networks: new Set(Object.keys(config.chain_rpc_urls)),
  books: createRangeCache(MOST_ENTRIES, sizeOfBook),
});
