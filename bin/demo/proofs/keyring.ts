import { createSigningKey, createWallet, type DemoKey, type Wallet } from './keys.ts';

/** The keys of a world, each made when it is first asked for. */
export type Keyring = {
  wallet(name: string): Wallet;
  key(name: string): DemoKey;
  /** Who signs AP2 mandates for the owners: the wallet they all use. */
  issuer: DemoKey;
};

/** What the owners' wallet is called where its key is trusted. */
export const ISSUER = 'https://wallet.example';

/** The same seed makes the same keys. */
export function createKeyring(seed: number): Keyring {
  const wallets = new Map<string, Wallet>();
  const keys = new Map<string, DemoKey>();
  const wallet = (name: string) => remembered(wallets, name, () => createWallet(seed, name));
  const key = (name: string) => remembered(keys, name, () => createSigningKey(seed, name));
  return { wallet, key, issuer: key(ISSUER) };
}

function remembered<T>(cache: Map<string, T>, name: string, make: () => T): T {
  const value = cache.get(name) ?? make();
  cache.set(name, value);
  return value;
}
