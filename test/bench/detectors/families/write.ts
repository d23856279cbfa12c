import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FamilyWorld } from '#test/worlds/families/world.ts';

/** Writes a world as it would be sent to `POST /v1/events`: an event a line, each with when it arrives, and its labels beside. */
export function writeWorld({ phase, seed, events, labels }: FamilyWorld, directory: string): void {
  mkdirSync(directory, { recursive: true });
  const name = join(directory, `${phase}-${seed}`);
  const lines = events().map(sent => JSON.stringify(sent));
  writeFileSync(`${name}.events.ndjson`, `${[...lines].join('\n')}\n`);
  writeFileSync(`${name}.labels.ndjson`, labels.map(label => `${JSON.stringify(label)}\n`).join(''));
}
