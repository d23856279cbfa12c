import { useRoute } from 'preact-iso';

/** The `:id` in the address of the page. */
export const usePathId = (): string => useRoute().params['id'] ?? '';
