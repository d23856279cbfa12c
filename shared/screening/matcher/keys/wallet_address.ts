/**
 * A wallet's address as it is compared, out of any of its usual spellings: alone, as an account of CAIP-10 (`eip155:1:0x…`), in a payment
 * URI (BIP 21, EIP-681). EVM addresses are the same on every chain and in any case; bech32 is the same in capitals (BIP 173); base58 is
 * never folded, since a letter in the other case is another address. Empty where there is none.
 */
export function walletAddress(value: string): string {
  const text = value.trim();
  const address =
    /^[-a-z0-9]{2,20}:(?:[-_a-zA-Z0-9]{1,32}:)?(?:\/\/)?(?:pay-)?([^:?@\s]+)(?:[?@].*)?$/i.exec(text)?.[1] ?? text;
  if (/\s/.test(address) || address.length < SHORTEST || address.length > LONGEST) return '';
  if (/^0x[0-9a-f]{40}$/i.test(address)) return address.toLowerCase();
  return isBech32.test(address) && isOneCase(address) ? address.toLowerCase() : address;
}

const SHORTEST = 20;
const LONGEST = 200;
const isBech32 = /^[a-z]{1,15}1[ac-hj-np-z02-9]{20,90}$/i;
const isOneCase = (text: string) => text === text.toLowerCase() || text === text.toUpperCase();
