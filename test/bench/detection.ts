import type { Bench } from './run.ts';
export async function detection(_bench: Bench): Promise<void> {}
