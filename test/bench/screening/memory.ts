import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { buildListIndex } from '#shared/screening/matcher/build_list_index.ts';
import { screen } from '#shared/screening/matcher/screen.ts';

// A process of its own that loads lists as a worker does, part by part, screens some names, and prints the memory that it holds:
// `node memory.ts FILE…`, a list a file, an entry a line.
const lists = [];
for (const path of process.argv.slice(2))
  lists.push({ name: path, version: 1, index: await buildListIndex(parts(path)) });
for (let number = 0; number < 2_000; number += 1) {
  const name = `Mohammed Ivanov ${number} Trading`;
  const query = { name, aliases: [], type: null, countries: [], birth_date: null, keys: [] };
  screen(lists, query, { threshold: 0.85, limit: 10 });
}
process.stdout.write(`${process.memoryUsage().rss}\n`);

async function* parts(path: string): AsyncIterable<string[]> {
  let part: string[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (part.push(line) < 1_000) continue;
    yield part;
    part = [];
  }
  yield part;
}
