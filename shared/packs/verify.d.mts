/** Where something is wrong, as far as that is known. */
export type Failure = { file?: string; line?: number; event_id?: string; message: string };

/** `failed` counts all failures; `failures` has the first of them. */
export type PackCheck = {
  name: string;
  result: 'pass' | 'fail' | 'skip';
  detail: string;
  failed: number;
  failures: Failure[];
};

/** `pack` is what the pack says of itself; null where its manifest cannot be read. */
export type PackResult = {
  ok: boolean;
  verdict: 'verified' | 'unproven' | 'failed';
  pack: Record<string, unknown> | null;
  signed_by: string[];
  checks: PackCheck[];
  notes: string[];
  does_not_prove: string[];
};

/** Checks the pack at `path`, a ZIP or a folder, with a parsed JWKS or JWK of trusted keys; throws where that holds no Ed25519 key. */
export function verifyPack(path: string, options?: { keys?: unknown }): Promise<PackResult>;

/** Runs the program with its arguments; answers with its exit code. */
export function main(args: string[]): Promise<0 | 1>;
