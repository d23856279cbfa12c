import { useState } from 'preact/hooks';
import { assetByKey, assetKey } from '#shared/values/assets.ts';
import { minorUnitExponent } from '#shared/values/currencies.ts';
import { Choice, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { type Denomination } from './money_text.ts';

/** Tokens that amounts are often limited in; any other can be named by its address. */
const tokens = [
  ['eip155:8453', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'USDC on Base'],
  ['eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', 'USDC on Base Sepolia'],
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'USDC on Solana'],
] as const;

const tokenOptions = tokens.map(([network, address, name]) => [assetKey(network, address), name] as const);
const OTHER = 'other';
const CURRENCY = 'currency';

/** What money is counted in: a currency, or a token. */
export function DenominationField({
  value: { currency, asset },
  set,
  problem,
}: {
  value: Denomination;
  set: (value: Denomination) => void;
  problem: string | undefined;
}) {
  const key = asset ? assetKey(asset.network, asset.address) : CURRENCY;
  const [kind, setKind] = useState(tokenOptions.some(([option]) => option === key) || !asset ? key : OTHER);
  const choose = (next: string) => {
    setKind(next);
    const token = tokens.find(([network, address]) => assetKey(network, address) === next);
    if (next === CURRENCY) set({ currency: 'USD' });
    else set({ asset: token ? { network: token[0], address: token[1] } : { network: '', address: '' } });
  };
  return (
    <>
      <Choice
        label="Currency or token"
        value={kind}
        set={choose}
        of={[[CURRENCY, 'Other currency'], ...tokenOptions, [OTHER, 'Other token']]}
      />
      {kind === CURRENCY && (
        <TextField
          label="Currency"
          value={currency ?? ''}
          set={code => set({ currency: code.trim().toUpperCase() })}
          required
          maxLength={3}
          {...(currency && minorUnitExponent(currency) === null && { hint: 'Three letters, such as USD or EUR.' })}
          problem={problem}
        />
      )}
      {kind === OTHER && asset && (
        <>
          <TextField
            label="Network"
            value={asset.network}
            set={network => set({ asset: { ...asset, network: network.trim() } })}
            required
            placeholder="eip155:8453"
          />
          <TextField
            label="Token address"
            value={asset.address}
            set={address => set({ asset: { ...asset, address: address.trim() } })}
            required
            {...(!assetByKey(assetKey(asset.network, asset.address)) && {
              hint: 'Unknown token: enter amounts in atomic units.',
            })}
            problem={problem}
          />
        </>
      )}
    </>
  );
}
