/**
 * Sentence embeddings by contrastive learning: load an encoder, embed and compare texts, train it
 * on your own, save it.
 *
 * <p>Begin with {@link io.contrastive.SentenceEncoder}. {@link io.contrastive.Similarity}, {@link
 * io.contrastive.Search} and {@link io.contrastive.Quantize} work on embeddings; {@link
 * io.contrastive.Trainer} makes an encoder from another and a {@link io.contrastive.Dataset};
 * {@link io.contrastive.SentenceEncoder#evaluate} measures one. What is particular to a method is
 * data: {@link io.contrastive.Config}.
 *
 * <p>Failures are {@link io.contrastive.ContrastiveException}s, which are unchecked and say of
 * which kind they are. Long calls end when their thread is interrupted, or by a {@link
 * io.contrastive.Cancel}. {@link io.contrastive.BuildInfo} tells what was loaded from where.
 *
 * <p>From Java 24 on, loading native code wants {@code --enable-native-access=ALL-UNNAMED} (or
 * {@code =io.contrastive} on the module path).
 */
package io.contrastive;
