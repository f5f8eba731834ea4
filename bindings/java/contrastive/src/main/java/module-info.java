/** Sentence embeddings by contrastive learning: train, embed, compare. */
@SuppressWarnings("requires-automatic") // the jar of native libraries has no classes
module io.contrastive {
  requires io.contrastive.natives;
  requires static org.jspecify;

  exports io.contrastive;
}
