-- A table that is also a queue: a row with neither a vector nor an error is waiting.
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE passage (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  text text,
  embedding vector(384),  -- the dimension of the model
  error text,             -- why the text has no vector
  CHECK (embedding IS NULL OR error IS NULL)
);
-- Contains only waiting rows, so that finding the next rows takes no longer when the table grows.
CREATE INDEX waiting ON passage (id) WHERE embedding IS NULL AND error IS NULL;

-- A row whose text changes waits again.
CREATE FUNCTION passage_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.embedding := NULL;
  NEW.error := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER changed BEFORE UPDATE OF text ON passage FOR EACH ROW WHEN (OLD.text IS DISTINCT FROM NEW.text) EXECUTE FUNCTION passage_changed();

-- Wakes idle consumers.
CREATE FUNCTION passage_waits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NOTIFY passage_waits;
  RETURN NULL;
END $$;
CREATE TRIGGER waits AFTER INSERT OR UPDATE OF text ON passage FOR EACH STATEMENT EXECUTE FUNCTION passage_waits();
