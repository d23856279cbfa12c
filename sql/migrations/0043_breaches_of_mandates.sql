-- The breaches of a mandate, however many payments keep to it.

create index mandate_evaluations_breaches on mandate_evaluations (org_id, environment, mandate_id, position_at, chain_seq) where result = 'breach';
