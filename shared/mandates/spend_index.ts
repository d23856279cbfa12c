import type { Position, Spent, Unit } from './evaluation.ts';
import { createScale, type AmountPaid, type Scale, unitKey } from './scale.ts';
import { partitionPoint } from '#shared/values/partition_point.ts';
import type { Rates } from '#shared/values/price_in_usd.ts';

/** Payments in order, which can say what those between two positions come to without reading them all. */
export type SpendIndex = {
  /** How many entries there are. */
  size(): number;
  insert(entry: SpendEntry): void;
  /** Takes out the entry at a position and returns it; null when there is none. */
  remove(position: Position): SpendEntry | null;
  /** The entry that has `later` entries after it; null when there are not so many. */
  fromEnd(later: number): SpendEntry | null;
  /** Replaces all that lie before `at` by what `entries` makes of them. */
  replaceBefore(at: number, entries: (former: SpendEntry[]) => SpendEntry[]): void;
  /** What lies at `from` or later (null: since the beginning) and before `to`. */
  sum(unit: Unit, from: number | null, to: Position): Spent;
};

/** What stands at one position: a payment, or several that were put together. */
export type SpendEntry = Position & { amounts: readonly SpendAmount[] };
export type SpendAmount = AmountPaid & { payments: number };

/** A run of entries. Sums are made when they are asked for; an array that is shorter than the run says how far they are right. */
type Block = { entries: SpendEntry[]; sums: Map<string, Sums> };

/** Running sums: at `i`, of everything up to and with number `i`. */
type Sums = { values: bigint[]; payments: number[]; unpriced: number[] };

/** A unit that was asked for, and running sums of whole blocks. */
type Measured = { key: string; scale: Scale; blocks: Sums };

/** Big enough for few blocks, small enough for moving half of one. */
const BLOCK = 512;

/**
 * Sorted blocks with running sums for each unit. A sum is two binary searches and a difference. A change makes void what comes after it in
 * its block, and the sums of the blocks from there on, which are made again, one addition a block, when next they are needed; at the end
 * that is nothing. Each amount is measured once, at the rate of its own day.
 */
export function createSpendIndex(rates: Rates): SpendIndex {
  let blocks: Block[] = [];
  let size = 0;
  const units = new Map<string, Measured>();

  function changed(block: Block, at: number, number: number): void {
    for (const sums of block.sums.values()) cut(sums, at);
    for (const unit of units.values()) cut(unit.blocks, number);
  }

  /** Up to, and without, the entry number `end` of a block. */
  function upTo(unit: Measured, { number, end }: Place): Spent {
    const before = number === 0 ? NOTHING : sumAt(blockSums(unit, number - 1), number - 1);
    const block = blocks[number];
    if (!block || end === 0) return before;
    const within = sumAt(entrySums(unit, block, end - 1), end - 1);
    return {
      payments: before.payments + within.payments,
      value: before.value + within.value,
      unpriced: before.unpriced + within.unpriced,
    };
  }

  function blockSums(unit: Measured, last: number): Sums {
    for (let number = unit.blocks.values.length; number <= last; number += 1) {
      const block = blocks[number];
      const end = (block?.entries.length ?? 0) - 1;
      push(unit.blocks, block && end >= 0 ? sumAt(entrySums(unit, block, end), end) : NOTHING);
    }
    return unit.blocks;
  }

  function entrySums({ key, scale }: Measured, block: Block, last: number): Sums {
    let sums = block.sums.get(key);
    if (!sums) block.sums.set(key, (sums = noSums()));
    for (let at = sums.values.length; at <= last; at += 1) push(sums, measured(scale, rates, block.entries[at]));
    return sums;
  }

  return {
    size: () => size,
    insert(entry) {
      size += 1;
      const { number, end } = placeOf(blocks, entry);
      const block = blocks[number];
      const isLast = number >= blocks.length - 1 && end === (block?.entries.length ?? 0);
      // What comes in order fills one block after the other.
      if (!block || (isLast && end >= BLOCK)) return void blocks.push({ entries: [entry], sums: new Map() });
      block.entries.splice(end, 0, entry);
      changed(block, end, number);
      if (block.entries.length <= BLOCK) return;
      blocks.splice(number + 1, 0, { entries: block.entries.splice(BLOCK / 2), sums: new Map() });
      changed(block, BLOCK / 2, number);
    },
    remove(position) {
      const { number, end } = placeOf(blocks, position);
      const block = blocks[number];
      const entry = block?.entries[end];
      if (!block || entry?.at !== position.at || entry.seq !== position.seq) return null;
      size -= 1;
      block.entries.splice(end, 1);
      changed(block, end, number);
      if (block.entries.length === 0) blocks.splice(number, 1);
      return entry;
    },
    fromEnd(later) {
      let remaining = later;
      for (const { entries } of blocks.toReversed()) {
        if (remaining < entries.length) return entries.at(-1 - remaining) ?? null;
        remaining -= entries.length;
      }
      return null;
    },
    replaceBefore(at, make) {
      const { number, end } = placeOf(blocks, { at, seq: -Infinity });
      const cutBlock = blocks[number];
      const former = blocks.slice(0, number).flatMap(({ entries }) => entries);
      former.push(...(cutBlock?.entries.splice(0, end) ?? []));
      cutBlock?.sums.clear();
      const entries = make(former);
      const rest = blocks.slice(number).filter(block => block.entries.length > 0);
      blocks = [...inBlocks(entries), ...rest];
      size += entries.length - former.length;
      for (const unit of units.values()) cut(unit.blocks, 0);
    },
    sum(unit, from, to) {
      if (from !== null && from > to.at) return NOTHING;
      const key = unitKey(unit);
      let sums = units.get(key);
      if (!sums) units.set(key, (sums = { key, scale: createScale(unit), blocks: noSums() }));
      const all = upTo(sums, placeOf(blocks, to));
      if (from === null) return all;
      const before = upTo(sums, placeOf(blocks, { at: from, seq: -Infinity }));
      return {
        payments: all.payments - before.payments,
        value: all.value - before.value,
        unpriced: all.unpriced - before.unpriced,
      };
    },
  };
}

const NOTHING: Spent = { payments: 0, value: 0n, unpriced: 0 };

const noSums = (): Sums => ({ values: [], payments: [], unpriced: [] });

const sumAt = ({ values, payments, unpriced }: Sums, at: number): Spent => ({
  payments: payments[at] ?? 0,
  value: values[at] ?? 0n,
  unpriced: unpriced[at] ?? 0,
});

function push(sums: Sums, { payments, value, unpriced }: Spent): void {
  const last = sumAt(sums, sums.values.length - 1);
  sums.values.push(last.value + value);
  sums.payments.push(last.payments + payments);
  sums.unpriced.push(last.unpriced + unpriced);
}

function cut({ values, payments, unpriced }: Sums, length: number): void {
  if (values.length <= length) return;
  for (const list of [values, payments, unpriced]) list.length = length;
}

/** What an entry comes to: each amount in whole units, rounded up where it has parts of one. */
function measured(scale: Scale, rates: Rates, entry: SpendEntry | undefined): Spent {
  const spent = { ...NOTHING };
  for (const amount of entry?.amounts ?? []) {
    spent.payments += amount.payments;
    const measure = scale.measure(amount, rates, entry?.at ?? 0);
    if (measure) spent.value += measure.ceil;
    else spent.unpriced += amount.payments;
  }
  return spent;
}

/** Where an entry would stand: the number of its block, and how many entries of that block lie before it. */
type Place = { number: number; end: number };

function placeOf(blocks: readonly Block[], position: Position): Place {
  const following = partitionPoint(blocks.length, number => {
    const last = blocks[number]?.entries.at(-1);
    return last === undefined || !isBefore(last, position);
  });
  // After everything: at the end of the last block, which takes what is added.
  const number = Math.max(0, Math.min(following, blocks.length - 1));
  const entries = blocks[number]?.entries ?? [];
  const end = partitionPoint(entries.length, at => {
    const entry = entries[at];
    return entry === undefined || !isBefore(entry, position);
  });
  return { number, end };
}

const isBefore = (a: Position, b: Position): boolean => a.at < b.at || (a.at === b.at && a.seq < b.seq);

function inBlocks(entries: readonly SpendEntry[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < entries.length; at += BLOCK)
    blocks.push({ entries: entries.slice(at, at + BLOCK), sums: new Map() });
  return blocks;
}
