import { z } from 'zod';

const expected = 'It must be JSON like {"eip155:8453":"https://rpc.example.com"}: EVM chains by CAIP-2 id.';

/** The setting CHAIN_RPC_URLS: the JSON-RPC URL of each chain that is read, by CAIP-2 id. Its message never quotes it: such URLs hold keys. */
export const ChainUrlsSetting = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: expected });
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string().regex(/^eip155:[1-9][0-9]{0,17}$/), z.url({ protocol: /^https?$/ }), { error: expected }));
