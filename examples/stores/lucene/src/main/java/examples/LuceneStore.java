package examples;

import io.contrastive.SentenceEncoder;
import io.contrastive.lucene.EmbeddingField;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;

/** Embeds the lines of a file into a Lucene index with HNSW graphs, and searches it. */
public final class LuceneStore {
  private static final int BLOCK =
      1024; // texts embedded at once: enough to keep all processors busy, without keeping a whole
            // corpus in memory
  private static final int NEIGHBOURS = 10;
  private static final int CANDIDATES =
      40; // per segment; more give a higher recall and take longer

  private LuceneStore() {}

  /**
   * index MODEL TEXTS FOLDER, or search MODEL QUESTIONS FOLDER: {@link #index} and {@link #search}.
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 4 || !List.of("index", "search").contains(arguments[0])) {
      throw new IllegalArgumentException(
          "usage: LuceneStore index MODEL TEXTS.txt FOLDER, or LuceneStore search MODEL"
              + " QUESTIONS.txt FOLDER");
    }
    try (SentenceEncoder encoder = SentenceEncoder.load(Path.of(arguments[1]));
        Directory directory = FSDirectory.open(Path.of(arguments[3]))) {
      EmbeddingField meaning = new EmbeddingField("meaning", encoder);
      if (arguments[0].equals("index")) {
        index(meaning, Path.of(arguments[2]), directory);
      } else {
        search(meaning, Path.of(arguments[2]), directory, System.out);
      }
    }
  }

  /**
   * Rebuilds the index. The number of a text is that of its line, from 0. An error leaves the
   * previous index unchanged.
   */
  static void index(EmbeddingField meaning, Path texts, Directory directory) throws IOException {
    IndexWriterConfig config =
        new IndexWriterConfig()
            .setOpenMode(IndexWriterConfig.OpenMode.CREATE)
            .setCommitOnClose(false);
    try (IndexWriter writer = new IndexWriter(directory, config);
        BufferedReader lines = Files.newBufferedReader(texts)) {
      int number = 0;
      for (List<String> block = next(lines); !block.isEmpty(); block = next(lines)) {
        List<KnnFloatVectorField> vectors = meaning.of(block);
        for (int i = 0; i < block.size(); i++) {
          Document document = new Document();
          document.add(new StoredField("number", number++));
          document.add(new StoredField("text", block.get(i)));
          document.add(vectors.get(i));
          writer.addDocument(document);
        }
      }
      writer.commit();
    }
  }

  private static List<String> next(BufferedReader lines) throws IOException {
    List<String> block = new ArrayList<>();
    for (String line; block.size() < BLOCK && (line = lines.readLine()) != null; ) block.add(line);
    return block;
  }

  /**
   * Prints ten hits of each line: the question's number, the text's number and the cosine,
   * separated by tabs.
   */
  static void search(EmbeddingField meaning, Path questions, Directory directory, PrintStream out)
      throws IOException {
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      IndexSearcher searcher = new IndexSearcher(reader);
      List<String> lines = Files.readAllLines(questions);
      for (int question = 0; question < lines.size(); question++) {
        for (ScoreDoc hit :
            searcher.search(meaning.query(lines.get(question), CANDIDATES), NEIGHBOURS).scoreDocs) {
          int text =
              searcher
                  .storedFields()
                  .document(hit.doc)
                  .getField("number")
                  .numericValue()
                  .intValue();
          out.printf(
              Locale.ROOT,
              "%d\t%d\t%.6f%n",
              question,
              text,
              2 * hit.score - 1); // Lucene's score of a cosine c is (1 + c) / 2
        }
      }
    }
  }
}
