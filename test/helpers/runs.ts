/** Whether this is `npm run test:deep`. */
export const isDeep = Boolean(process.env['TEST_DEEP']);

/** How often a property is tried: so often in `npm run test:deep`, otherwise a tenth of it, with other cases at each commit. */
export const runs = (deep: number): number => (isDeep ? deep : Math.ceil(deep / 10));

const seed = Number(process.env['TEST_SEED'] ?? 0);

/**
 * Which cells of a table are tried in its row `index`: all in `npm run test:deep`, otherwise one in `share`, another one in each row and at each
 * commit.
 */
export const turnOf = <T>(cells: readonly T[], index: number, share: number): readonly T[] =>
  isDeep ? cells : cells.filter((_, at) => (at + index + seed) % share === 0);

/** Whether the one cell of row `index` has its turn. */
export const isTurnOf = (index: number, share: number): boolean => turnOf([index], index, share).length > 0;
