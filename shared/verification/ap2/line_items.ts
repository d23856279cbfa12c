import { type Judgment, judged, unresolved } from './payment_constraints.ts';
import { isObject, type JsonObject, textOf } from '#shared/verification/json.ts';

export type LineItem = { id: string; quantity: number };

const MOST_ENTRIES = 100;
const MOST_ITEMS = 10_000;

/**
 * Checks `checkout.line_items` (docs/ap2/checkout_mandate.md): every item of the checkout serves one entry that accepts it, and every entry
 * gets exactly its quantity. This is so if the maximum flow from entries to items equals both totals.
 */
export function judgeLineItems({ items }: JsonObject, bought: readonly LineItem[] | null): Judgment {
  if (!bought) return unresolved('The items of the checkout cannot be read');
  const entries = Array.isArray(items) ? items.map(readEntry) : [];
  if (entries.length === 0 || entries.includes(null)) return unresolved('It is malformed');
  const wanted = entries.flatMap(entry => entry ?? []);
  const counts = new Map<string, number>();
  for (const { id, quantity } of bought) counts.set(id, (counts.get(id) ?? 0) + quantity);
  const needed_quantity = sum(wanted.map(entry => entry.quantity));
  const offered = sum([...counts.values()]);
  if (wanted.length > MOST_ENTRIES || counts.size > MOST_ENTRIES || needed_quantity > MOST_ITEMS)
    return unresolved(`It has more than ${MOST_ENTRIES} entries or ${MOST_ITEMS} items`);
  const met = needed_quantity === offered && greatestFlow(wanted, counts) === needed_quantity;
  return judged(met, `The checkout has ${offered} items, which do not serve the ${needed_quantity} that are allowed`);
}

type Entry = { accepts: ReadonlySet<string>; quantity: number };

function readEntry(value: unknown): Entry | null {
  if (!isObject(value) || !Array.isArray(value['acceptable_items']) || !isQuantity(value['quantity'])) return null;
  const accepts = value['acceptable_items'].flatMap(item => (isObject(item) ? (textOf(item, 'id') ?? []) : []));
  return { accepts: new Set(accepts), quantity: value['quantity'] };
}

export const isQuantity = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** Assigns items to entries; if an item is taken, its holder looks for another (augmenting paths, Ford and Fulkerson). */
function greatestFlow(entries: readonly Entry[], counts: ReadonlyMap<string, number>): number {
  const remaining = new Map(counts);
  const allotted = entries.map(() => new Map<string, number>());
  let flow = 0;
  for (const [index, entry] of entries.entries()) {
    for (let missing = entry.quantity; missing > 0;) {
      const got = serve(index, missing, { entries, remaining, allotted, tried: new Set() });
      if (got === 0) return flow;
      missing -= got;
      flow += got;
    }
  }
  return flow;
}

type Flow = {
  entries: readonly Entry[];
  remaining: Map<string, number>;
  allotted: Map<string, number>[];
  tried: Set<string>;
};

/** Gets an entry up to `most` of an item it accepts; returns how many. */
function serve(index: number, most: number, flow: Flow): number {
  const accepts = flow.entries[index]?.accepts ?? new Set<string>();
  // Free items first: searching those held by others takes long.
  for (const id of accepts) {
    const free = Math.min(flow.remaining.get(id) ?? 0, most);
    if (free === 0) continue;
    move(flow.remaining, id, -free);
    move(flow.allotted[index], id, free);
    return free;
  }
  for (const id of accepts) {
    if (flow.tried.has(id) || !flow.remaining.has(id)) continue;
    flow.tried.add(id);
    const got = takeOver(id, index, most, flow);
    if (got === 0) continue;
    move(flow.allotted[index], id, got);
    return got;
  }
  return 0;
}

/** Takes an item from an entry that can use another; returns how many. */
function takeOver(id: string, index: number, most: number, flow: Flow): number {
  for (const [holder, items] of flow.allotted.entries()) {
    const held = Math.min(items.get(id) ?? 0, most);
    const got = holder === index || held === 0 ? 0 : serve(holder, held, flow);
    if (got === 0) continue;
    move(items, id, -got);
    return got;
  }
  return 0;
}

const move = (map: Map<string, number> | undefined, id: string, by: number) =>
  void map?.set(id, (map.get(id) ?? 0) + by);

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
