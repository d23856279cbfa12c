/** The `count` largest of some values, in ascending order; all of them where there are no more. Where few of many are wanted, sorting all takes several times as long. */
export function largest(values: readonly number[] | Float64Array, count: number): Float64Array {
  const top = new Float64Array(Math.min(count, values.length));
  let size = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? NaN;
    let at = 0;
    if (size < top.length) {
      at = size;
      size += 1;
      for (; at > 0 && (top[at - 1] ?? 0) > value; at -= 1) top[at] = top[at - 1] ?? 0;
    } else {
      if (value <= (top[0] ?? Infinity)) continue;
      for (; at + 1 < size && (top[at + 1] ?? 0) < value; at += 1) top[at] = top[at + 1] ?? 0;
    }
    top[at] = value;
  }
  return top;
}
