/** A single copy of a recurring text such as a payee or price: each row has its own, and a slice of a long text would keep all of it in memory. */
export function intern<Text extends string>(text: Text): Text {
  const copy = interned.get(text);
  if (copy !== undefined) return copy as Text;
  if (interned.size >= MOST_INTERNED) interned.clear();
  interned.set(text, text);
  return text;
}

const interned = new Map<string, string>();
const MOST_INTERNED = 100_000;
