package examples.spark;

/**
 * A row of the output.
 *
 * @param id Long or String
 * @param textHash the first 32 hexadecimal digits of the SHA-256 of the text; {@code null} if there
 *     is no text
 * @param embedding the embedding; {@code null} if there is an error
 * @param tokens the number of tokens of the text before truncation; 0 if there is an error
 * @param truncated whether the text was cut
 * @param error why the text has no embedding; {@code null} if it has one
 */
record EncodedText(
    Object id, String textHash, float[] embedding, int tokens, boolean truncated, String error) {
  static EncodedText rejected(Object id, String textHash, String error) {
    return new EncodedText(id, textHash, null, 0, false, error);
  }
}
