package io.contrastive;

/**
 * The tokens of a pair of texts as one sequence.
 *
 * @param ids the token ids, special tokens included
 * @param typeIds the segment of each token: 0 for the first text; 1 for the second if the model
 *     distinguishes segments
 */
public record TokenPair(int[] ids, int[] typeIds) {}
