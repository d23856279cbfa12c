import type { NewSource } from '#shared/keys/sources.ts';

/** A source beside the agents' own reports. `id` is what events name it by here; the service gives it another. */
export type PlannedSource = NewSource & { id: string };

/** Whoever processes card payments says what became of them too. */
export const processor: PlannedSource = {
  id: 'src_00000000000000000000000001',
  name: 'Card processor',
  kind: 'psp_webhook',
};
