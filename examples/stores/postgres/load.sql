-- Embeds the lines of a file into the table `passage`, and makes an index of their vectors: all of it or nothing.
--
--   hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2  # gets the model
--   MODEL=all-MiniLM-L6-v2 TEXTS=texts.txt psql -f load.sql
--
-- The id of a text is the number of its line, from 0. vector(384) is as wide as the model's vectors; see README.md for models with more than 2,000.
\set ON_ERROR_STOP on
BEGIN;
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE passage (id bigint PRIMARY KEY, text text NOT NULL, embedding vector(384) NOT NULL);

-- Every line as it is: as CSV without quotes, with a delimiter that no text holds. An empty line is an empty text.
CREATE TEMPORARY TABLE line (id bigint GENERATED ALWAYS AS IDENTITY (START 0 MINVALUE 0), text text) ON COMMIT DROP;
\copy line (text) FROM PROGRAM 'cat "$TEXTS"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02', NULL E'\x03')
CREATE TEMPORARY TABLE encoded (row json) ON COMMIT DROP;
\copy encoded FROM PROGRAM 'contrastive encode --model "$MODEL" --input "$TEXTS" --output -' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')

-- A JSON array reads as a vector. A full join: a text without a vector, or a vector without a text, is an error (a column that is NOT NULL).
INSERT INTO passage SELECT line.id, line.text, (row->>'embedding')::vector FROM line FULL JOIN encoded ON line.id = (row->>'id')::bigint;

-- One index of all is faster than an index that grows row by row.
CREATE INDEX ON passage USING hnsw (embedding vector_cosine_ops);
COMMIT;
ANALYZE passage;
