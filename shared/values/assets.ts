import { normalizeNetwork } from './networks.ts';

/** The registered token at an address (any case for EVM) on a network (CAIP-2 or x402 v1 name), or null. */
export function findAsset(network: string, address: string): Asset | null {
  const chain = normalizeNetwork(network);
  return chain === null ? null : assetByKey(assetKey(chain, address));
}

/** The registered token of an asset key, or null. */
export const assetByKey = (key: string): Asset | null => registry.get(key) ?? null;

/** What an asset is known by inside the service: `<CAIP-2>/<address>`, EVM addresses in lower case. */
export const assetKey = (network: string, address: string): string =>
  `${network}/${canonicalAddress(network, address)}`;

/** An address as it is compared: in lower case on EVM chains, where case is a check sum; elsewhere, as on Solana, case counts. */
export const canonicalAddress = (network: string, address: string): string =>
  network.startsWith('eip155:') ? address.toLowerCase() : address;

/**
 * A token whose facts the service vouches for. One is worth one of `currency`, for which its issuer redeems it; `eip712` is its signing domain, null
 * where it has none or it is not known.
 */
export type Asset = {
  network: string;
  address: string;
  symbol: string;
  decimals: number;
  currency: 'USD' | 'EUR';
  eip712: { name: string; version: string } | null;
};

const domain = (name: string, version = '2') => ({ name, version });
const usdCoin = domain('USD Coin');

type Facts = Pick<Asset, 'symbol' | 'decimals' | 'currency' | 'eip712'>;
const usd = (symbol: string, eip712: Facts['eip712'] = null, decimals = 6): Facts => ({
  symbol,
  decimals,
  currency: 'USD',
  eip712,
});
const eurc: Facts = { symbol: 'EURC', decimals: 6, currency: 'EUR', eip712: null };

/**
 * Addresses as their issuers publish them. EIP-712 domains as in coinbase/x402 (defaultAssets.ts and the v1 config), for
 * Ethereum, Optimism and Sepolia as the contracts name themselves; where one is not certain it is null, since a wrong
 * domain makes good signatures look forged. Test tokens are priced too: the sandbox should behave like production.
 */
export const assets: readonly Asset[] = [
  // USDC, issued by Circle
  token('base', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', usd('USDC', usdCoin)),
  token('ethereum', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', usd('USDC', usdCoin)),
  token('polygon', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', usd('USDC', usdCoin)),
  token('arbitrum', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', usd('USDC', usdCoin)),
  token('optimism', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', usd('USDC', usdCoin)),
  token('avalanche', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', usd('USDC', usdCoin)),
  token('monad', '0x754704Bc059F8C67012fEd69BC8A327a5aafb603', usd('USDC', usdCoin)),
  token('sei', '0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392', usd('USDC', domain('USDC'))),
  token('eip155:130', '0x078D782b760474a361dDA0AF3839290b0EF57AD6', usd('USDC')),
  token('eip155:480', '0x79A02482A880bCE3F13e09Da970dC34db4CD24d1', usd('USDC')),
  token('eip155:59144', '0x176211869cA2b568f2A7D4EE941E073a821EE1ff', usd('USDC')),
  token('eip155:324', '0x1d17CBcF0D6D143135aE902365D2E5e2A16538D4', usd('USDC')),
  token('eip155:146', '0x29219dd400f2Bf60E5a23d13Be72B486D4038894', usd('USDC')),
  token('eip155:42220', '0xcebA9300f2b948710d2653dD7B07f33A8B32118C', usd('USDC')),
  token('solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', usd('USDC')),
  // USDC on test networks; their domain name often differs from mainnet's
  token('base-sepolia', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', usd('USDC', domain('USDC'))),
  token('sepolia', '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', usd('USDC', domain('USDC'))),
  token('polygon-amoy', '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', usd('USDC', domain('USDC'))),
  token('arbitrum-sepolia', '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d', usd('USDC', usdCoin)),
  token('optimism-sepolia', '0x5fd84259d66Cd46123540766Be93DFE6D43130D7', usd('USDC')),
  token('avalanche-fuji', '0x5425890298aed601595a70AB815c96711a31Bc65', usd('USDC', usdCoin)),
  token('sei-testnet', '0x4fCF1784B31630811181f670Aea7A7bEF803eaED', usd('USDC', domain('USDC'))),
  token('solana-devnet', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', usd('USDC')),
  // USDC brought over by a bridge
  token('base', '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA', usd('USDbC')),
  token('polygon', '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', usd('USDC.e')),
  token('arbitrum', '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8', usd('USDC.e')),
  token('optimism', '0x7F5c764cBc14f9669B88837ca1490cCa17c31607', usd('USDC.e')),
  token('avalanche', '0xA7D7079b0FeAd91f3E65F86e8915Cb588C1a4664', usd('USDC.e')),
  token('bsc', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', usd('USDC', null, 18)),
  // USDT and USDT0
  token('ethereum', '0xdAC17F958D2ee523a2206206994597C13D831ec7', usd('USDT')),
  token('polygon', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', usd('USDT')),
  token('arbitrum', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', usd('USDT')),
  token('optimism', '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', usd('USDT')),
  token('optimism', '0x01bFF41798a0BcF287b996046Ca68b395DbC1071', usd('USDT0')),
  token('avalanche', '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7', usd('USDT')),
  token('base', '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2', usd('USDT')),
  token('bsc', '0x55d398326f99059fF775485246999027B3197955', usd('USDT', null, 18)),
  token('eip155:42220', '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e', usd('USDT')),
  token('stable', '0x779Ded0c9e1022225f8E0630b35a9b54bE713736', usd('USDT0', domain('USDT0', '1'))),
  token('solana', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', usd('USDT')),
  // Other dollars
  token('ethereum', '0x6B175474E89094C44Da98b954EedeAC495271d0F', usd('DAI', null, 18)),
  token('base', '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb', usd('DAI', null, 18)),
  token('ethereum', '0x6c3ea9036406852006290770BEdFcAbA0e23A0e8', usd('PYUSD')),
  token('solana', '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo', usd('PYUSD')),
  token('megaeth', '0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7', usd('MegaUSD', domain('MegaUSD', '1'), 18)),
  // Euros, issued by Circle
  token('base', '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42', eurc),
  token('ethereum', '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', eurc),
  token('avalanche', '0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD', eurc),
  token('solana', 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr', eurc),
];

const registry = new Map(assets.map(asset => [assetKey(asset.network, asset.address), asset]));

function token(network: string, address: string, facts: Facts): Asset {
  return { network: normalizeNetwork(network) ?? network, address, ...facts };
}
