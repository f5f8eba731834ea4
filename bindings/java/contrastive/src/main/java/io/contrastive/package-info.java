/**
 * Sentence embeddings with contrastive learning: load an encoder, embed and compare texts, train it
 * on your own texts, and save it.
 *
 * <p>Start with {@link io.contrastive.SentenceEncoder}. {@link io.contrastive.Similarity}, {@link
 * io.contrastive.Search}, {@link io.contrastive.Index} and {@link io.contrastive.Quantize} work on
 * embeddings. {@link io.contrastive.Trainer} trains an encoder on a {@link io.contrastive.Dataset}.
 * {@link io.contrastive.SentenceEncoder#evaluate} measures an encoder. The options of methods and
 * tasks are set with {@link io.contrastive.Config}.
 *
 * <p>Errors are {@link io.contrastive.ContrastiveException}s, which are unchecked and have a kind.
 * To cancel a long call, interrupt its thread or use a {@link io.contrastive.Cancel}. {@link
 * io.contrastive.BuildInfo} shows what was loaded and from where.
 *
 * <p>From Java 24 on, loading native code requires {@code --enable-native-access=ALL-UNNAMED} (or
 * {@code =io.contrastive} on the module path).
 */
@NullMarked
package io.contrastive;

import org.jspecify.annotations.NullMarked;
