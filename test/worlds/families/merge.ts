/** What has a time, in order; what happens at one moment stays as it was. */
export const inOrder = <Item extends { at: number }>(items: readonly Item[]): Item[] =>
  items.toSorted((a, b) => a.at - b.at);

/** Ordered streams as one, holding no more of them than the next item of each. */
export function* merged<Item>(streams: readonly Iterator<Item>[], timeOf: (item: Item) => number): Generator<Item> {
  const heap: Head<Item>[] = [];
  for (const stream of streams) push(heap, stream, timeOf);
  for (let head = heap[0]; head; head = heap[0]) {
    yield head.item;
    const next = head.stream.next();
    if (next.done) {
      const last = heap.pop();
      if (last && heap.length > 0) heap[0] = last;
    } else heap[0] = { stream: head.stream, item: next.value, at: timeOf(next.value) };
    sink(heap);
  }
}

type Head<Item> = { stream: Iterator<Item>; item: Item; at: number };

function push<Item>(heap: Head<Item>[], stream: Iterator<Item>, timeOf: (item: Item) => number): void {
  const next = stream.next();
  if (next.done) return;
  heap.push({ stream, item: next.value, at: timeOf(next.value) });
  let child = heap.length - 1;
  while (child > 0 && isEarlier(heap, child, (child - 1) >> 1)) {
    swap(heap, child, (child - 1) >> 1);
    child = (child - 1) >> 1;
  }
}

function sink<Item>(heap: Head<Item>[]): void {
  let parent = 0;
  for (;;) {
    const [left, right] = [2 * parent + 1, 2 * parent + 2];
    const least = right < heap.length && isEarlier(heap, right, left) ? right : left;
    if (least >= heap.length || !isEarlier(heap, least, parent)) return;
    swap(heap, least, parent);
    parent = least;
  }
}

const isEarlier = <Item>(heap: readonly Head<Item>[], a: number, b: number) =>
  (heap[a]?.at ?? Infinity) < (heap[b]?.at ?? Infinity);

function swap<Item>(heap: Head<Item>[], a: number, b: number): void {
  const [first, second] = [heap[a], heap[b]];
  if (!first || !second) return;
  heap[a] = second;
  heap[b] = first;
}
