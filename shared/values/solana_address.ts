/** Whether a text is a Solana address: the base58 form (Bitcoin alphabet) of exactly 32 bytes. */
export function isSolanaAddress(text: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return false;
  let value = 0n;
  for (const digit of text) value = value * 58n + BigInt(alphabet.indexOf(digit));
  const zeros = text.length - text.replace(/^1+/, '').length;
  const bytes = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2);
  return zeros + bytes === 32;
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
