-- Who has always been paid in one currency is hardly ever paid in another.
alter table payee_payers add column currencies jsonb;
comment on column payee_payers.currencies is 'At most 16 agents (agents.id), each with the currency (ISO 4217) in which it paid the payee and in how many payments, up to 3: `[[agent_id, currency, payments]]`. The currency is empty once there were several. Null before any was noted.';
