/** Computes a value when it is first asked for. */
export function once<T>(compute: () => T): () => T {
  let cached: { value: T } | null = null;
  return () => (cached ??= { value: compute() }).value;
}
