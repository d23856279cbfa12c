/** Many texts in one piece of shared memory: text n lies between two offsets. */
export type TextTable = { bytes: Uint8Array; offsets: Uint32Array };

/** Packs texts as UTF-8. */
export function packTexts(texts: readonly string[]): TextTable {
  const offsets = new Uint32Array(new SharedArrayBuffer((texts.length + 1) * 4));
  let size = 0;
  for (let index = 0; index < texts.length; index += 1) {
    size += Buffer.byteLength(texts[index] ?? '');
    offsets[index + 1] = size;
  }
  const bytes = Buffer.from(new SharedArrayBuffer(size));
  for (let index = 0; index < texts.length; index += 1) bytes.write(texts[index] ?? '', offsets[index] ?? 0);
  return { bytes: new Uint8Array(bytes.buffer), offsets };
}

export function textAt({ bytes, offsets }: TextTable, index: number): string {
  const start = offsets[index] ?? 0;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, (offsets[index + 1] ?? start) - start).toString('utf8');
}

/** Numbers, copied into shared memory. */
export const packNumbers = (numbers: ArrayLike<number>): Uint32Array => {
  const packed = new Uint32Array(new SharedArrayBuffer(numbers.length * 4));
  packed.set(numbers);
  return packed;
};

/** Numbers from 0 to 255, likewise. */
export const packBytes = (numbers: ArrayLike<number>): Uint8Array => {
  const packed = new Uint8Array(new SharedArrayBuffer(numbers.length));
  packed.set(numbers);
  return packed;
};
