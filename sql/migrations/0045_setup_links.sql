-- The link by which the first organization is made in a browser.

-- Found before there is an organization, so this is a directory table.
create table setup_links (
  token_hash bytea primary key,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
comment on table setup_links is 'The link that makes the first organization and its owner: at most one, and worth nothing once there is an organization.';
comment on column setup_links.token_hash is 'SHA-256 of the token in the address, which is 256 random bits.';
comment on column setup_links.created_at is 'When it was made.';
comment on column setup_links.expires_at is 'Until when it works.';
