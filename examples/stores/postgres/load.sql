-- Embeds the lines of a file into the table `passage` and indexes them, in one transaction.
--
--   hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2  # gets the model
--   MODEL=all-MiniLM-L6-v2 TEXTS=texts.txt psql -f load.sql
--
-- The id of a text is the number of its line, from 0. 384 is the dimension of the model. See
-- README.md for models with more than 2,000 dimensions.
\set ON_ERROR_STOP on
BEGIN;
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE passage (id bigint PRIMARY KEY, text text NOT NULL, embedding vector(384) NOT NULL);

-- Reads every line unchanged: as CSV without quotes, with a delimiter that no text contains. An
-- empty line is an empty text.
CREATE TEMPORARY TABLE line (id bigint GENERATED ALWAYS AS IDENTITY (START 0 MINVALUE 0), text text) ON COMMIT DROP;
\copy line (text) FROM PROGRAM 'cat "$TEXTS"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02', NULL E'\x03')
CREATE TEMPORARY TABLE encoded (row json) ON COMMIT DROP;
\copy encoded FROM PROGRAM 'contrastive encode --model "$MODEL" --input "$TEXTS" --output -' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')

-- A JSON array is a valid vector literal. With the full join, a text without a vector, or a vector
-- without a text, violates NOT NULL and is an error.
INSERT INTO passage SELECT line.id, line.text, (row->>'embedding')::vector FROM line FULL JOIN encoded ON line.id = (row->>'id')::bigint;

-- Building the index after the load is faster than updating it row by row.
CREATE INDEX ON passage USING hnsw (embedding vector_cosine_ops);
COMMIT;
ANALYZE passage;
