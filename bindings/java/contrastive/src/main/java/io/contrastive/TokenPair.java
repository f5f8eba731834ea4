package io.contrastive;

/**
 * The tokens of a pair of texts as one sequence.
 *
 * @param ids special tokens included
 * @param typeIds the segment of each: 0 for the first text, 1 for the second where the model tells
 *     them apart
 */
public record TokenPair(int[] ids, int[] typeIds) {}
