/** The part of the package that is used here; it brings no types. */
declare module 'zip-stream' {
  import type { Readable, Transform } from 'node:stream';

  export default class ZipStream extends Transform {
    constructor(options: { level?: number; forceZip64?: boolean });
    entry(
      source: Readable,
      data: { name: string; date: Date; mode?: number },
      callback: (error: Error | null) => void,
    ): this;
    finish(): void;
  }
}
