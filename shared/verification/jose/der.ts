/** An element of DER (X.690): `content` without tag and length, `rest` what follows it. */
export type Element = { tag: number; content: Buffer; rest: Buffer };

/** Reads the element that `bytes` begins with; null when it is not DER with definite lengths up to 2^24. */
export function readElement(bytes: Buffer): Element | null {
  const tag = bytes[0];
  const first = bytes[1];
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return null;
  const extra = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || extra > 3 || bytes.length < 2 + extra) return null;
  const length = extra === 0 ? first : bytes.readUIntBE(2, extra);
  const start = 2 + extra;
  if (bytes.length < start + length) return null;
  return { tag, content: bytes.subarray(start, start + length), rest: bytes.subarray(start + length) };
}

/** The elements that `bytes` is a sequence of; null when it is not one. */
export function readElements(bytes: Buffer): Element[] | null {
  const elements: Element[] = [];
  for (let left = bytes; left.length > 0;) {
    const element = readElement(left);
    if (!element) return null;
    elements.push(element);
    left = element.rest;
  }
  return elements;
}

export const BOOLEAN = 0x01;
export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OCTET_STRING = 0x04;
export const OBJECT_IDENTIFIER = 0x06;
export const SEQUENCE = 0x30;
