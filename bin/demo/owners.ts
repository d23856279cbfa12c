import type { Owner } from './agent.ts';

/** The companies of the world. Names are made up. */
export const owners: Owner[] = [
  { external_id: 'acct_nordwind', name: 'Nordwind Logistik GmbH', country: 'DE', currency: 'EUR', utc_offset: 1 },
  { external_id: 'acct_mercier', name: 'Atelier Mercier SARL', country: 'FR', currency: 'EUR', utc_offset: 1 },
  { external_id: 'acct_vandijk', name: 'Van Dijk Bloemen BV', country: 'NL', currency: 'EUR', utc_offset: 1 },
  { external_id: 'acct_huerta', name: 'Huerta Alta SL', country: 'ES', currency: 'EUR', utc_offset: 1 },
  { external_id: 'acct_cobalt', name: 'Cobalt Row Ltd', country: 'GB', currency: 'GBP', utc_offset: 0 },
  {
    external_id: 'acct_brightwater',
    name: 'Brightwater Analytics Inc.',
    country: 'US',
    currency: 'USD',
    utc_offset: -5,
  },
  { external_id: 'acct_lumen', name: 'Lumen & Daughters LLC', country: 'US', currency: 'USD', utc_offset: -8 },
  { external_id: 'acct_ipe', name: 'Ipê Comércio Ltda', country: 'BR', currency: 'USD', utc_offset: -3 },
  { external_id: 'acct_straits', name: 'Straits Tea Pte Ltd', country: 'SG', currency: 'USD', utc_offset: 8 },
  { external_id: 'acct_sakura', name: '株式会社さくら基盤', country: 'JP', currency: 'USD', utc_offset: 9 },
];
