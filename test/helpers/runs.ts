/** Whether this is `npm run test:deep`. */
export const isDeep = Boolean(process.env['TEST_DEEP']);

/** How often a property is tried: so often in `npm run test:deep`, otherwise a tenth of it, with other cases at each commit. */
export const runs = (deep: number): number => (isDeep ? deep : Math.ceil(deep / 10));
