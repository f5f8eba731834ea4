-- Prints the ten nearest passages of each line of a file: the question's number, the passage's
-- number and the cosine, separated by tabs.
--
--   hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2  # gets the model
--   MODEL=all-MiniLM-L6-v2 QUESTIONS=questions.txt psql -f search.sql
\set ON_ERROR_STOP on
\set QUIET on
BEGIN;
CREATE TEMPORARY TABLE encoded (row json) ON COMMIT DROP;
\copy encoded FROM PROGRAM 'contrastive encode --quiet --model "$MODEL" --input "$QUESTIONS" --output -' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
CREATE TEMPORARY TABLE question ON COMMIT DROP AS SELECT (row->>'id')::bigint AS id, (row->>'embedding')::vector AS embedding FROM encoded;

-- The number of candidates of a search: more give a higher recall and take longer. Default: 40.
SET LOCAL hnsw.ef_search = 40;
-- For a table of this size the planner prefers a sequential scan, which is exact. Large tables do
-- not need this line.
SET LOCAL enable_seqscan = off;
\copy (SELECT question.id, hit.id, round(hit.cosine::numeric, 6) FROM question CROSS JOIN LATERAL (SELECT id, 1 - (passage.embedding <=> question.embedding) AS cosine FROM passage ORDER BY passage.embedding <=> question.embedding LIMIT 10) AS hit ORDER BY 1, 3 DESC) TO STDOUT
COMMIT;
