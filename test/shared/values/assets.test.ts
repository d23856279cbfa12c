import test from 'ava';
import { assetKey, assets, findAsset } from '#shared/values/assets.ts';
import { parseEvmAddress } from '#shared/values/evm_address.ts';
import { normalizeNetwork } from '#shared/values/networks.ts';
import { isSolanaAddress } from '#shared/values/solana_address.ts';

test('every registered token has a sound address on a CAIP-2 network and is registered once', t => {
  for (const { network, address, symbol } of assets) {
    t.is(normalizeNetwork(network), network);
    if (network.startsWith('solana:')) t.true(isSolanaAddress(address), symbol);
    else t.deepEqual(parseEvmAddress(address), { ok: true, value: address }, `${symbol} on ${network}`);
  }
  t.is(new Set(assets.map(asset => assetKey(asset.network, asset.address))).size, assets.length);
});

test('USDC is found by network name or CAIP-2 id and by address in any case, with the signing domain of its network', t => {
  const base = findAsset('base', '0x833589FCD6EDB6E08F4C7C32D4F71B54BDA02913');
  t.like(base, {
    network: 'eip155:8453',
    symbol: 'USDC',
    decimals: 6,
    currency: 'USD',
    eip712: { name: 'USD Coin', version: '2' },
  });
  const sepolia = findAsset('eip155:84532', '0x036cbd53842c5426634e7929541ec2318f3dcf7e');
  t.like(sepolia, { symbol: 'USDC', eip712: { name: 'USDC', version: '2' } });
  t.like(findAsset('solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'), { symbol: 'USDC', decimals: 6 });
});

test('one address on another network is another token', t => {
  t.is(findAsset('eip155:1', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'), null);
  t.is(findAsset('nowhere', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'), null);
  t.is(findAsset('solana', 'epjfwdd5aufqssqem2qn1xzybapc8g4weggkzwytdt1v'), null);
});

test('decimals differ between chains: USDT has 6 on Ethereum and 18 on BNB Chain', t => {
  t.is(findAsset('ethereum', '0xdac17f958d2ee523a2206206994597c13d831ec7')?.decimals, 6);
  t.is(findAsset('bsc', '0x55d398326f99059ff775485246999027b3197955')?.decimals, 18);
});

test('x402 v1 network names become CAIP-2 ids; anything else is refused', t => {
  for (const [name, network] of [
    ['base', 'eip155:8453'],
    ['base-sepolia', 'eip155:84532'],
    ['avalanche-fuji', 'eip155:43113'],
    ['polygon-amoy', 'eip155:80002'],
    ['iotex', 'eip155:4689'],
    ['solana-devnet', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'],
    ['stellar:pubnet', 'stellar:pubnet'],
    ['Base', null],
    ['eip155:0x2105', null],
    ['eip155:', null],
    ['solana:mainnet', null],
  ] as const) {
    t.is(normalizeNetwork(name), network, name);
  }
});

test('addresses get their EIP-55 checksum, and a wrong one is noticed', t => {
  for (const address of [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
  ]) {
    for (const spelling of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
      t.deepEqual(parseEvmAddress(spelling), { ok: true, value: address });
    }
  }
  t.false(parseEvmAddress('0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed').ok);
  t.false(parseEvmAddress('5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed').ok);
});
