/**
 * libcontrastive: sentence embeddings by contrastive learning. Load an encoder, embed and compare
 * texts, train it on your own, save it.
 *
 * This header is the manual; read it from top to bottom. It is plain C99, and the only header of
 * the library. A first program, with the folder that `hf download
 * sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2` fetches:
 *
 *     cs_error *error = NULL;
 *     cs_model *model = cs_model_load("all-MiniLM-L6-v2", NULL, &error);
 *     const char *texts[2] = {"A man is eating food.", "Someone has a meal."};
 *     float vectors[2 * 384], score;
 *     if (model && cs_encode(model, texts, NULL, 2, NULL, vectors, 2 * 384, &error) == CS_OK &&
 *         cs_similarity(vectors, 1, vectors + 384, 1, 384, CS_METRIC_COSINE, &score, 1,
 *                       &error) == CS_OK)
 *       printf("%.3f\n", score);
 *     else
 *       fprintf(stderr, "%s\n", cs_error_message(error));
 *     cs_error_free(error);
 *     cs_model_free(model);
 *
 * Functions have three shapes. A constructor returns a new handle or string, or NULL on failure. A
 * command returns a cs_status: a value below 0 is a failure. An accessor returns its value. A last
 * parameter `cs_error **error` may always be NULL. If it is not NULL, a call that fails sets
 * `*error` to an object that the caller frees, and a call that succeeds leaves `*error` as it is:
 * set it to NULL once, before the first call. A failed call has changed nothing and leaks nothing,
 * unless its own text says more.
 *
 * When memory runs out, a call returns CS_ERROR_NO_MEMORY. The error itself needs no memory, and
 * the call may be made again. What computes with LibTorch is the exception, training above all:
 * LibTorch can end the process in three places. It needs a few bytes to take apart the graph of an
 * update that failed half way, to compute for the first time on a thread, and to be loaded by the
 * first call that needs it. tests/faults/RESULTS.md has the stacks. With key "amp" on the CPU,
 * oneDNN ends it in more places.
 *
 * Strings that go in are UTF-8. A text has a length in bytes and may hold NUL bytes; the length -1
 * means that the text ends at its first NUL. Invalid UTF-8 in a text reads as U+FFFD, as in
 * Python's errors="replace". If a model was loaded with config key "invalid_utf8" = "error", the
 * call returns CS_ERROR_FORMAT for such a text and computes nothing; the message names the text and
 * the byte. Paths, keys and names end at their first NUL. A `char *` that comes out belongs to the
 * caller (cs_string_free). A `const char *` belongs to the library. JSON that comes out is ASCII.
 *
 * Arrays belong to the caller. They are row-major and contiguous, and a parameter beside each gives
 * its capacity in elements. If an array is too small, the call writes nothing and returns
 * CS_ERROR_BUFFER; the message has the size that is needed. Input and output must not overlap.
 *
 * Handles (cs_model *, ...) are opaque: never dereference one. A call returns CS_ERROR_HANDLE if a
 * handle was freed, was never created, has another type, or belongs to another copy of the library.
 * Free handles in any order: a trainer keeps its model and data alive. If one thread frees a handle
 * during a call of another thread, that call finishes first. Freeing NULL does nothing.
 *
 * Threads and handles: any number of threads may use a cs_model at once. A model never changes: a
 * trainer reads it and works on weights of its own. Any thread may use a cs_cancel at any time.
 * Every other handle is for one thread at a time: a call from a second thread returns
 * CS_ERROR_BUSY.
 *
 * Stack: a call needs 128 KiB of its thread's stack. A call that computes with LibTorch (training,
 * evaluating, dense modules, bfloat16) needs 256 KiB. If the thread has less, the call returns
 * CS_ERROR_LIMIT.
 *
 * Computing threads: all calls of a process share one pool of threads (cs_set_threads). Its threads
 * sleep when there is nothing to do. If another process is busy, a call loses that process's share
 * of the processors and little more. If the system refuses threads (a limit on processes), calls go
 * on with the threads there are. On every thread that has called this library, LibTorch computes
 * with one thread, for other users of the same LibTorch too.
 *
 * fork(): a child computes and trains with threads of its own. It may use every handle of its
 * parent if no other thread was in a call when it was forked. One case is different: if the data
 * threads of a trainer stayed in the parent, cs_train_step returns CS_ERROR_STATE.
 *
 * The library installs no signal handler. Its own threads block all signals but faults, so a host's
 * handlers run on the host's threads. A thread of the library's that has called a log sink lets
 * SIGPWR, SIGXCPU and the real-time signals through: .NET and mono stop threads by them to collect
 * garbage. The library runs no code from a model folder. It opens no connection unless the config
 * of a trainer says "dist.mode".
 *
 * exit(): once LibTorch is loaded, exit() first cancels the calls of other threads, as a cs_cancel
 * does, and waits for them, for five seconds at most. It does not wait for a thread inside a log
 * sink. Then exit() continues and destroys LibTorch's static objects. A thread that is still inside
 * the library sleeps from its next look at the cancel flag until the process ends. Calls made after
 * exit() has begun return CS_ERROR_CANCELLED, and free functions keep the memory: a handler of
 * atexit() must not count on the library, whenever it was registered. The library never ends the
 * process itself. Without LibTorch nothing is destroyed, and exit() waits for no call.
 *
 * exit() can still crash in three cases. A call runs longer than five seconds without a look at its
 * cancel flag. Another thread is loading LibTorch. LibTorch has computed something of a new kind in
 * the last minute (a first update, a first evaluation): it makes static objects then, and exit()
 * destroys them before it waits. A program that cannot exclude these cases cancels its calls and
 * joins their threads before it calls exit(), or ends with _exit().
 *
 * A thread that pthread_cancel() cancels during a call ends after that call. A log sink must
 * return: pthread_exit() in it ends the process.
 *
 * @since tells the version in which a symbol appeared. While CS_ABI_VERSION is the same, symbols
 * are added and never changed, and numbers of constants are fixed. VERSIONING.md in the sources
 * says what an update may change, and how long a deprecated symbol stays.
 */
#ifndef CONTRASTIVE_CONTRASTIVE_H
#define CONTRASTIVE_CONTRASTIVE_H

#include <stddef.h>
#include <stdint.h>

/** The first number of this header's version. cs_version() gives the version of the library in use.
 */
#define CS_VERSION_MAJOR 0
/** The second number of the version. */
#define CS_VERSION_MINOR 1
/** The third number of the version. */
#define CS_VERSION_PATCH 0

/** Number of the binary interface. The library's SONAME ends in it. A program that was built for
 * one number runs with every library of that number. */
#define CS_ABI_VERSION 0

/** Marks what the library exports. */
#if defined(__GNUC__)
#define CS_API __attribute__((visibility("default")))
#else
#define CS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types and results ----------------------------------------------------------------------- */
/* Each type of handle has a section below. @since 0.1 */

typedef struct cs_error cs_error;     /**< why a call failed */
typedef struct cs_config cs_config;   /**< keys with values */
typedef struct cs_model cs_model;     /**< a sentence encoder or a reranker */
typedef struct cs_dataset cs_dataset; /**< texts to train on */
typedef struct cs_trainer cs_trainer; /**< a training run */
typedef struct cs_cancel cs_cancel;   /**< a flag that stops calls */

/**
 * Result of a command: 0 is success, a value above 0 is a variant of success, a value below 0 is an
 * error. Later versions may add values: test
 * `< 0`. @since 0.1
 */
typedef int32_t cs_status;
/** Values of cs_status. @since 0.1 */
enum {
  CS_OK = 0,
  CS_DONE = 1,            /**< success, and a trainer has no step left */
  CS_ERROR_ARGUMENT = -1, /**< an argument or a config value is not allowed */
  CS_ERROR_HANDLE = -2,   /**< a handle is NULL, freed, of another type, or from elsewhere */
  CS_ERROR_STATE =
      -3, /**< the object cannot do this now, for instance after an error that it could not undo */
  CS_ERROR_BUSY = -4,      /**< another thread or process uses the object: wait, and call again */
  CS_ERROR_BUFFER = -5,    /**< the caller's buffer is too small; nothing was written */
  CS_ERROR_NOT_FOUND = -6, /**< a file, folder, tensor or key is not there */
  CS_ERROR_IO = -7,        /**< the operating system refused a read or write */
  CS_ERROR_NO_SPACE =
      -8, /**< the disk or quota is full; the folder that stood there before is intact */
  CS_ERROR_FORMAT = -9, /**< a file is malformed, or a text if texts are checked; the message names
                           the place in it */
  CS_ERROR_UNSUPPORTED = -10, /**< well-formed, but of a kind that this library does not know; or
                                 training is not installed */
  CS_ERROR_LIMIT = -11,       /**< larger than a stated limit */
  CS_ERROR_MISMATCH =
      -12, /**< two things that must agree do not: shapes, or a resumed run and its configuration */
  CS_ERROR_CORRUPT = -13, /**< a checksum or length is not what was written */
  CS_ERROR_NO_MEMORY =
      -14, /**< host or device memory is exhausted; the objects stay usable, or say STATE */
  CS_ERROR_DEVICE = -15,      /**< no such device, or its driver cannot be used */
  CS_ERROR_NUMERIC = -16,     /**< NaN or infinity where a number is needed */
  CS_ERROR_CANCELLED = -17,   /**< a cs_cancel was triggered, or the process exits */
  CS_ERROR_DISTRIBUTED = -18, /**< another rank of the run failed, or did not come in time */
  CS_ERROR_INTERNAL = -99     /**< a bug of this library: please report the message */
};

/* ---- Version and build ----------------------------------------------------------------------- */

/** The library's version, "MAJOR.MINOR.PATCH". @return static string, never NULL. Any thread.
 * @since 0.1 */
CS_API const char *cs_version(void);

/** The library's CS_ABI_VERSION, for programs that load the library at run time. Any thread. @since
 * 0.1 */
CS_API int32_t cs_abi_version(void);

/**
 * Tells what this library is made of and where it lies, as a JSON object: "version", "abi",
 * "compiler", "library_path", "cpu" (the instruction set that encoding uses), "threads", "libtorch"
 * (its version), "libtorch_path", "libtorch_reason", "cuda" ({"devices", "reason"}). Where training
 * is not installed, "libtorch" and "libtorch_path" are "", and "libtorch_reason" says why.
 * "devices" is how many GPUs can be used; "reason" says why there is none. The call loads the part
 * that trains, where it is installed.
 * @param[out] error nullable. @return the text (cs_string_free), or NULL: NO_MEMORY. Any thread.
 * @since 0.1
 */
CS_API char *cs_build_info(cs_error **error);

/** How many handles of all types exist in this process: a leak test compares it before and after.
 * Any thread. @since 0.1 */
CS_API int64_t cs_live_handles(void);

/**
 * Sets how many threads one call may compute with. It holds for the whole process and for calls
 * that start later; 0 goes back to the default. The default is OMP_NUM_THREADS if that is set.
 * Otherwise it is one thread for each processor that this process may run on, limited by the CPU
 * quota of its control groups (cgroup v1 and v2, rounded up). Scores of cs_similarity and cs_search
 * are the same bits with any number. A training run gives the same bits again with the same number.
 * @param threads 0 to 1024. @param[out] error nullable. @return CS_OK or ARGUMENT. Any thread.
 * @since 0.1
 */
CS_API cs_status cs_set_threads(int32_t threads, cs_error **error);

/**
 * Names LibTorch's folder: the one that holds lib/libtorch_cpu.so, or lib itself. The library looks
 * for LibTorch when a call first needs it, in this order: the LibTorch that the host itself has
 * loaded; this folder; the folder that the environment variable CONTRASTIVE_LIBTORCH names. Where
 * neither folder is named: beside the library, in the place that its build names (/opt/libtorch for
 * packages), in this user's cache of packaging/bootstrap.sh, in an installed Python torch, and on
 * the loader's path. The constructor of a library must not make the first call that needs LibTorch.
 * @param folder nullable or "": back to that search. @param[out] error nullable. @return CS_OK, or
 * STATE: another LibTorch is loaded already. Any thread.
 * @since 0.1
 */
CS_API cs_status cs_set_libtorch(const char *folder, cs_error **error);

/** Frees a `char *` that this library returned. @param text nullable. Any thread. @since 0.1 */
CS_API void cs_string_free(char *text);

/* ---- Errors ---------------------------------------------------------------------------------- */
/*
 * An error belongs to the call that set it: there is no last error of a thread or of the process.
 * Its status is for programs, its message is for people. The caller frees it. Nothing else needs
 * tidying up after a failed call.
 */

/** The status of an error; CS_ERROR_HANDLE if `error` is not an error. Any thread. @since 0.1 */
CS_API cs_status cs_error_status(const cs_error *error);

/** One or two sentences: what is wrong, where, what to do. @return UTF-8, valid until the error is
 * freed; never NULL. Any thread. @since 0.1 */
CS_API const char *cs_error_message(const cs_error *error);

/** Frees an error. @param error nullable. @since 0.1 */
CS_API void cs_error_free(cs_error *error);

/** The name of a status without its prefix: "OK", "DONE", "FORMAT", ...; "UNKNOWN" for other
 * numbers. @return static string. @since 0.1 */
CS_API const char *cs_status_name(cs_status status);

/* ---- Config ---------------------------------------------------------------------------------- */
/*
 * Options of a method, optimiser or task are dotted keys with values. New keys do not change this
 * header. A misspelt key is an error that names the nearest key. Keys that begin with "x-" are the
 * caller's own: the library keeps them unread.
 */

/**
 * Reads a config from JSON. Nested objects and dotted keys mean the same: {"clsr": {"temperature":
 * 0.1}} is {"clsr.temperature": 0.1}.
 * @param json a JSON object; NULL for an empty config. @param[out] error nullable.
 * @return a handle (cs_config_free), or NULL: FORMAT with the byte offset, LIMIT beyond 64 MB or 64
 * levels. @since 0.1
 */
CS_API cs_config *cs_config_parse(const char *json, cs_error **error);

/**
 * Sets one key as a person would type it: JSON where `value` is a JSON scalar or list ("0.1",
 * "true", "[1,2]"), else text ("lars"). A text that looks like JSON needs JSON's quotes: 1.10 is
 * the number 1.1, and "1.10" with its quotes is the text. cs_config_parse guesses nothing.
 * Whether the key exists and the value is in range is checked where the config is used.
 * @param config, key, value not NULL. @param[out] error nullable. @return CS_OK, ARGUMENT, HANDLE,
 * BUSY. @since 0.1
 */
CS_API cs_status cs_config_set(cs_config *config, const char *key, const char *value,
                               cs_error **error);

/**
 * Lays `other` over `config`: each entry of `other` replaces the entry with the same key. So a
 * program can give its flags precedence over the environment, and the environment precedence over a
 * file.
 * @param config, other not NULL, not the same. @param[out] error nullable. @return CS_OK, ARGUMENT,
 * HANDLE, BUSY. @since 0.1
 */
CS_API cs_status cs_config_merge(cs_config *config, const cs_config *other, cs_error **error);

/** The config as one flat JSON object, keys sorted. @return the text (cs_string_free), or NULL:
 * HANDLE, BUSY, NO_MEMORY. @since 0.1 */
CS_API char *cs_config_to_json(const cs_config *config, cs_error **error);

/**
 * Lists the keys of a topic, as a JSON array of {"key", "type", "default", "range" or "values",
 * "unit", "help", "source", "may_change"}. It is the reference of all keys, and bindings take their
 * defaults from it. "source" tells where a default comes from, such as a section of a paper.
 * "may_change" is true for a key that cs_trainer_resume may change, and missing for all others.
 * @param topic "model" (cs_model_load), "recipe" (cs_model_create), "vocabulary"
 * (cs_vocabulary_train), "data" (cs_dataset_open), "mining" (cs_mine), "adapt" (cs_adapt), "train"
 * (cs_trainer_new: the keys of all methods), the name of a method ("clsr": the keys that a trainer
 * with this method reads), or of a task ("sts": cs_evaluate); NULL for an object that holds every
 * topic.
 * @param[out] error nullable. @return the text (cs_string_free), or NULL: ARGUMENT naming the
 * topics, NO_MEMORY. Any thread. @since 0.1
 */
CS_API char *cs_config_describe(const char *topic, cs_error **error);

/** Frees a config. @param config nullable. @since 0.1 */
CS_API void cs_config_free(cs_config *config);

/* ---- Model ----------------------------------------------------------------------------------- */
/*
 * A model is a sentence encoder or a reranker. A sentence encoder is a tokenizer, an encoder (BERT,
 * RoBERTa, MPNet, ...), a pooling, and what follows it (dense layers, normalisation): it embeds
 * texts (cs_encode). A reranker is a tokenizer, an encoder and a classification head: it scores
 * pairs of texts (cs_rerank). A call that needs the other kind returns CS_ERROR_ARGUMENT, and the
 * message names the call for this kind.
 */

/** Kinds of models. @since 0.1 */
enum {
  CS_KIND_ENCODER = 1, /**< a sentence encoder: for cs_encode */
  CS_KIND_RERANKER = 2 /**< a reranker (cross-encoder): for cs_rerank */
};

/**
 * Loads a folder of sentence-transformers (old and new layout) or of Hugging Face (config.json +
 * model.safetensors, sharded too). cs_model_kind() tells what was loaded.
 *
 *     cs_config *config = cs_config_parse("{\"device\": \"cuda\", \"precision\": \"bfloat16\"}",
 *                                         &error);
 *     cs_model *model = cs_model_load("bert-base", config, &error);
 *
 * "kind" chooses what the folder is loaded as:
 *
 *   "auto"     The folder decides; the default. It is a reranker if sentence-transformers'
 *              CrossEncoder saved it, or if it has no modules.json and config.json names a class
 *              ...ForSequenceClassification. If "pooling" is set, such a folder is loaded as a
 *              sentence encoder. Every other folder is a sentence encoder.
 *   "encoder"  A sentence encoder.
 *   "reranker" A reranker; MISMATCH where the folder has no classification head.
 *
 * A sentence encoder whose folder states no pooling needs config key "pooling": the library guesses
 * none. With "embeds" = false it is loaded without one, to tokenise and for cs_model_info.
 *
 * A reranker takes its labels from id2label of config.json. The activation of its scores is the one
 * that sentence-transformers wrote. If there is none, it is sigmoid for one label and identity for
 * several. A reranker with "pooling" or "adapter" is ARGUMENT.
 *
 * "precision" chooses the numbers that the model computes in:
 *
 *   "float32"  The weights as they are; the default.
 *   "bfloat16" Half the memory; far faster on a CPU that has AVX512_BF16. Embeddings agree with
 *              float32's to about two digits.
 *   "int8"     On the CPU, to embed or score only: a quarter of the memory, and 2 to 3.5 times the
 *              speed of float32. Loading rounds weights and word embeddings row by row and drops
 *              the floats; encoding rounds states token by token. For all-MiniLM-L6-v2 the cosine
 *              with float32's embeddings is 0.998 or more on average, and the rank correlation on
 *              STS-B falls from 82.03 to 81.92. Training such a model, placing it on a GPU and
 *              mapping it into memory are ARGUMENT; saving it is STATE. Every processor computes
 *              it; processors with VNNI are fastest.
 *
 * "devices" names several devices, such as ["cuda:0", "cuda:1"], in the place of "device". Each
 * holds the weights. The batches of one cs_encode go to whichever is free; results are in the
 * caller's order, and as on one device. The first error of any of them ends the call, and so does a
 * cs_cancel. A list with CPUs and GPUs in it is ARGUMENT. Training and evaluation use the first
 * device.
 *
 * "allow_pickle" decides about a folder whose only weights are pickled, in pytorch_model.bin or the
 * shards of pytorch_model.bin.index.json:
 *
 *   false  UNSUPPORTED, with the line of Python that converts it; the default.
 *   true   The library reads the tensors of the state dict as torch.save (since 1.6) wrote them,
 *          and runs nothing of the file. A class or an operation that no state dict needs is
 *          UNSUPPORTED, with its name and place; damage is CORRUPT. A safetensors file in the same
 *          folder is read instead.
 *
 * "adapter" is the folder of a low-rank adapter, as peft and trainings with "METHOD.lora_rank"
 * write it. It is merged into the weights. An adapter for another shape is MISMATCH. So is an
 * adapter that this library trained on another base model.
 *
 * A folder may be saved over (cs_model_save, cs_trainer_save) while it is loaded: the result is the
 * old model or the new one, never a mixture. BUSY means that saves followed each other too fast to
 * load between them. The same holds for an adapter's folder, cs_model_create and
 * cs_trainer_resume. It does not hold for a folder whose files are changed in place, one by one.
 *
 * @param path the folder, not NULL. @param config keys of cs_config_describe("model"); nullable.
 * @param[out] error nullable.
 * @return a handle (cs_model_free), or NULL: NOT_FOUND, IO, FORMAT, UNSUPPORTED, LIMIT, MISMATCH,
 *   NUMERIC, DEVICE, NO_MEMORY, ARGUMENT, BUSY; the message names the file and the key or tensor.
 * Any thread. @since 0.1
 */
CS_API cs_model *cs_model_load(const char *path, const cs_config *config, cs_error **error);

/**
 * Makes a new model: a BERT or RoBERTa encoder of any size with random weights, and the tokenizer
 * of a folder (your own from cs_vocabulary_train, or an existing model's). Train it from scratch,
 * for instance with method "clear".
 *
 *     cs_config *recipe = cs_config_parse(
 *         "{\"tokenizer\": \"my-vocabulary\", \"layers\": 4, \"hidden_size\": 256, "
 *         "\"attention_heads\": 4, \"pooling\": \"cls\"}", &error);
 *     cs_model *model = cs_model_create(recipe, &error);
 *
 * With "static.encoder" it distils that folder's model into static embeddings, as model2vec does:
 * each token of its vocabulary goes through the encoder by itself, "static.dimension" principal
 * components of these vectors are kept, and frequent tokens count less ("static.sif"). A text is
 * then the mean of its tokens' vectors. Such a model embeds at the speed of its tokenizer, and it
 * trains, saves and evaluates like any other.
 *
 * With "student.encoder" it makes a student of that folder's model, its teacher: with
 * "student.layers" of its layers, how many or which, and with "student.dimension" dimensions, by a
 * Dense module that keeps the principal components of the teacher's vectors of the file
 * "student.texts". The rest is the teacher's. Method "distill" trains it on the teacher.
 *
 * @param config keys of cs_config_describe("recipe"), not NULL: "tokenizer" and "pooling" among
 * them, or "static.encoder", or "student.encoder". For a fresh encoder "seed" alone decides the
 * weights. Beside the other two a key that their folder decides, such as "layers", is ARGUMENT; a
 * student may have another "pooling".
 * @param[out] error nullable. @return a handle (cs_model_free), or NULL: ARGUMENT, NOT_FOUND,
 * FORMAT, UNSUPPORTED, LIMIT, DEVICE, NO_MEMORY. Any thread. @since 0.1
 */
CS_API cs_model *cs_model_create(const cs_config *config, cs_error **error);

/**
 * Learns a vocabulary from texts, one a line, and writes it as a folder that cs_model_create and
 * Hugging Face's tokenizers read: WordPiece (vocab.txt), byte-level BPE (vocab.json, merges.txt) or
 * Unigram (tokenizer.json). The result depends on the texts and the config alone.
 * @param input a text file, not NULL. @param output the folder, not NULL; an existing one is
 * replaced only if it is empty or holds a vocabulary. @param config keys of
 * cs_config_describe("vocabulary"); nullable. @param cancel nullable: polled in every phase, from
 * the first line to the last file; after CANCELLED `output` is as it was. @param[out] error
 * nullable.
 * @return CS_OK, or ARGUMENT, NOT_FOUND, IO, FORMAT, NO_SPACE, CANCELLED, BUSY (another process
 * saves to this folder). Any thread. @since 0.1
 */
CS_API cs_status cs_vocabulary_train(const char *input, const char *output, const cs_config *config,
                                     const cs_cancel *cancel, cs_error **error);

/**
 * Writes a folder that sentence-transformers (a reranker's: its CrossEncoder), transformers and
 * this library load. At every moment, even in a crash, `path` holds the complete old folder or the
 * complete new one. (A file system that cannot exchange two folders, such as NFS, has none at
 * `path` for a moment. Loads wait for it, the log warns, and after a crash there the next save
 * gives the old folder back.) An existing folder is replaced only if it is empty or a model folder.
 * README.md of the folder is the model's card, with the header that hubs read. A model of
 * cs_trainer_model has the card of its run. A model that was loaded keeps its README.md, byte for
 * byte. If it had none, or was loaded with another pooling, its card says that no training is
 * known. If a person wrote or changed the README.md of the replaced folder, it is kept beside the
 * new one as README.before.md, then README.before-2.md.
 * @param model, path not NULL. @param[out] error nullable. @return CS_OK, HANDLE, ARGUMENT, STATE
 * (a model in int8), IO, NO_SPACE, BUSY (another process saves to this folder). @since 0.1
 */
CS_API cs_status cs_model_save(const cs_model *model, const char *path, cs_error **error);

/**
 * Tells what cs_model_load would load a folder as, without config keys. It reads no weights.
 * @param path not NULL. @return CS_KIND_ENCODER or CS_KIND_RERANKER; CS_KIND_ENCODER too where the
 * folder cannot be read, because loading it says what is wrong. CS_ERROR_ARGUMENT if `path` is
 * NULL. Any thread. @since 0.1
 */
CS_API int32_t cs_model_detect(const char *path);

/** What the model is: CS_KIND_ENCODER or CS_KIND_RERANKER; CS_ERROR_HANDLE if `model` is not a
 * model. Later versions may add kinds. Any thread. @since 0.1 */
CS_API int32_t cs_model_kind(const cs_model *model);

/** Floats of one embedding with the model's own options; CS_ERROR_ARGUMENT for a reranker,
 * CS_ERROR_HANDLE if `model` is not a model. Any thread. @since 0.1 */
CS_API int32_t cs_model_dimension(const cs_model *model);

/** How many scores cs_rerank gives for a pair: one for each label, 1 for most rerankers;
 * CS_ERROR_ARGUMENT for a sentence encoder, CS_ERROR_HANDLE if `model` is not a model. Any thread.
 * @since 0.1 */
CS_API int32_t cs_model_labels(const cs_model *model);

/** Tokens of the longest text that is embedded whole, or of the longest pair that is scored whole,
 * special tokens included; CS_ERROR_HANDLE if `model` is not a model. Any thread. @since 0.1 */
CS_API int32_t cs_model_max_length(const cs_model *model);

/**
 * What was loaded, as a JSON object: "kind" ("encoder" or "reranker"), shape, tokenizer, prompts,
 * device, and under "notes" what was defaulted, renamed or ignored. A sentence encoder has
 * "dimension" and "pooling" too, a reranker "labels" (their names), "activation" and "head".
 * "computed_by" is "kernels" (the library's own, on the CPU) or "libtorch". "fingerprint" is the
 * SHA-256, in hexadecimal, over everything that decides an embedding or a score: weights,
 * precision, tokenizer, pooling, normalisation, prompts. Store it beside embeddings: equal
 * fingerprints are equal models. The first call reads all weights for it, about a second for a
 * gigabyte; later calls remember it.
 * @param model not NULL. @param[out] error nullable. @return the text (cs_string_free), or NULL:
 * HANDLE, NO_MEMORY. Any thread. @since 0.1
 */
CS_API char *cs_model_info(const cs_model *model, cs_error **error);

/**
 * An independent copy with the same weights: the copies share no memory and no caches.
 * @param model not NULL. @param[out] error nullable. @return a handle (cs_model_free), or NULL:
 * HANDLE, NO_MEMORY. Any thread. @since 0.1
 */
CS_API cs_model *cs_model_snapshot(const cs_model *model, cs_error **error);

/** Frees a model; trainers and calls that use it keep what they need. @param model nullable. Any
 * thread. @since 0.1 */
CS_API void cs_model_free(cs_model *model);

/* ---- Tokenize -------------------------------------------------------------------------------- */

/**
 * The token ids of one text, special tokens included, equal to Hugging Face `tokenizers` id by id,
 * with the place of each in the text.
 *
 *     int32_t ids[64], begins[64], ends[64], count = 0;
 *     cs_status status =
 *         cs_tokenize(model, "unbelievable", -1, 0, ids, begins, ends, 64, &count, &error);
 *     if (status == CS_OK) printf("%d tokens\n", count);
 *
 * @param model not NULL. @param text UTF-8, not NULL. @param length bytes, below 2^31; -1:
 * NUL-terminated.
 * @param max_length ids at most; 0: the model's own limit; -1: none. @param[out] ids [capacity];
 * NULL with capacity 0 only counts.
 * @param[out] begins, ends [capacity] first byte of a token and one past its last; -1 for special
 * tokens; each nullable.
 * @param capacity elements of each array. @param[out] count ids of the text, set also with
 * CS_ERROR_BUFFER; not NULL. @param[out] error nullable.
 * @return CS_OK, ARGUMENT (max_length leaves no room for special tokens), FORMAT (key
 * "invalid_utf8" of the model), BUFFER, LIMIT, HANDLE. Any thread. @since 0.1
 */
CS_API cs_status cs_tokenize(const cs_model *model, const char *text, int64_t length,
                             int32_t max_length, int32_t *ids, int32_t *begins, int32_t *ends,
                             int64_t capacity, int32_t *count, cs_error **error);

/**
 * The same for a pair of texts, with the type that the encoder is handed for each id (`type_ids`,
 * [capacity], nullable): 0, or 1 in the second text where the model's tokenizer tells them apart.
 * Longest-first truncation. Other parameters, errors and threads as cs_tokenize. @since 0.1
 */
CS_API cs_status cs_tokenize_pair(const cs_model *model, const char *text_a, int64_t length_a,
                                  const char *text_b, int64_t length_b, int32_t max_length,
                                  int32_t *ids, int32_t *type_ids, int64_t capacity, int32_t *count,
                                  cs_error **error);

/** The vocabulary's text for an id, "" where it has none. @return the text (cs_string_free), or
 * NULL: HANDLE. Any thread. @since 0.1 */
CS_API char *cs_token(const cs_model *model, int32_t id, cs_error **error);

/* ---- Encode ---------------------------------------------------------------------------------- */

/**
 * How texts are embedded. Start from CS_ENCODE_OPTIONS_INIT, under which every field means "as the
 * model says". New fields are only ever appended: `struct_size` tells the library which ones the
 * caller knows. A call returns ARGUMENT if `struct_size` is not a size of this struct, or if
 * `reserved` is not 0.
 * @since 0.1
 */
typedef struct cs_encode_options {
  uint32_t struct_size; /**< sizeof(cs_encode_options) of the caller */
  int32_t normalize;    /**< 1: unit length; 0: as pooled; -1: as the model says */
  const char *pooling;  /**< "mean", "cls", "max", "mean-sqrt", "first-last", "embed-last", "last2",
                           ...; NULL: the model's */
  const char *prompt;   /**< text put before every text, "" for none; NULL: the model's default
                           prompt, if it has one */
  const char *prompt_name; /**< or the name of one of the model's prompts ("query"); NULL: none */
  int32_t truncate_dim;    /**< keep the first dimensions only (Matryoshka models); 0: as the model
                              says (its truncate_dim, else all) */
  int32_t max_length; /**< tokens of a text at most, up to what the encoder can; 0: the model's own
                         limit */
  int32_t batch_tokens;  /**< token budget of one internal batch; 0: chosen. Bounds memory; changes
                            no more than last bits */
  uint32_t reserved;     /**< 0 */
  int32_t *token_counts; /**< out, [n_texts], nullable: tokens of each text before truncation; above
                            max_length: the text was cut */
  const cs_cancel *cancel; /**< nullable: looked at between internal batches */
} cs_encode_options;

/** Initialiser of cs_encode_options: `cs_encode_options options = CS_ENCODE_OPTIONS_INIT;`. @since
 * 0.1 */
#define CS_ENCODE_OPTIONS_INIT \
  {(uint32_t)sizeof(cs_encode_options), -1, NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL}

/**
 * Embeds texts. The library sorts them by length and runs them in packed batches; the results are
 * in the caller's order. The other texts of a call change at most the last bits of an embedding,
 * because few tokens are summed in another order than many: at most 1e-6 in a component of a unit
 * vector, in float32. Texts beyond the maximum length are cut: `token_counts` tells which. A text
 * without a token, as "" is where the tokenizer adds no special tokens, is pooled to zeros.
 *
 *     int32_t counts[2];
 *     cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
 *     options.token_counts = counts;
 *     cs_status status = cs_encode(model, texts, NULL, 2, &options, vectors, 2 * 384, &error);
 *
 * One call with many texts is faster than many calls: it packs texts without padding and uses all
 * threads.
 * @param model a sentence encoder, not NULL. @param texts [n_texts] no item NULL; may be NULL where
 * n_texts is 0.
 * @param lengths [n_texts] bytes; NULL: all are NUL-terminated. @param n_texts 0 or more. @param
 * options nullable. @param[out] embeddings [n_texts, dimension] float32.
 * @param n_floats elements of `embeddings`. @param[out] error nullable. @return CS_OK, ARGUMENT
 * (a reranker; or with the text's index), FORMAT (with its index and the byte; key "invalid_utf8"
 * of the model), BUFFER, LIMIT, HANDLE, CANCELLED, NO_MEMORY, NUMERIC; after CANCELLED, NO_MEMORY,
 * NUMERIC the content of `embeddings` is undefined. Any thread. @since 0.1
 */
CS_API cs_status cs_encode(const cs_model *model, const char *const *texts, const int64_t *lengths,
                           int64_t n_texts, const cs_encode_options *options, float *embeddings,
                           int64_t n_floats, cs_error **error);

/**
 * The same for texts in one buffer, as bindings pass them: text i is data[offsets[i]] ..
 * data[offsets[i + 1]], without a NUL.
 * @param model, n_texts, options, embeddings, n_floats, error as cs_encode. @param data UTF-8, at
 * most 2^31-1 bytes; may be NULL where all texts are empty. @param offsets [n_texts + 1] not
 * falling, not negative; may be NULL where n_texts is 0. @return as cs_encode. Any thread. @since
 * 0.1
 */
CS_API cs_status cs_encode_packed(const cs_model *model, const char *data, const int32_t *offsets,
                                  int64_t n_texts, const cs_encode_options *options,
                                  float *embeddings, int64_t n_floats, cs_error **error);

/**
 * Floats of one embedding under `options`, whose pooling and truncate_dim may change it.
 * @param model not NULL. @param options nullable. @param[out] error nullable. @return the
 * dimension, or a negative cs_status with `*error` set: ARGUMENT, HANDLE. Any thread. @since 0.1
 */
CS_API int32_t cs_encode_dimension(const cs_model *model, const cs_encode_options *options,
                                   cs_error **error);

/* ---- Rerank ---------------------------------------------------------------------------------- */
/*
 * A reranker (cross-encoder) reads a query and a document together and gives their score. It is
 * more accurate than comparing two embeddings, but it must read each pair: find some tens of
 * documents by cs_search, then rank these with a reranker. A reranker with several labels
 * classifies pairs. cs_model_load loads both. Scores equal those of sentence-transformers'
 * CrossEncoder.
 */

/**
 * How pairs are scored. Start from CS_RERANK_OPTIONS_INIT, under which every field means "as the
 * model says". New fields are only ever appended, as for cs_encode_options. @since 0.1
 */
typedef struct cs_rerank_options {
  uint32_t struct_size; /**< sizeof(cs_rerank_options) of the caller */
  int32_t max_length; /**< tokens of a pair at most: no more than the encoder can, enough for one of
                         each text; 0: the model's own */
  const char *activation;  /**< "identity" (the logits), "sigmoid", "softmax" over a pair's several
                              labels, "tanh", ...; NULL: the model's */
  const char *prompt;      /**< text put before every query, "" for none; NULL: the model's default
                              prompt, if it has one */
  const char *prompt_name; /**< or the name of one of the model's prompts; NULL: none */
  int32_t batch_tokens;  /**< token budget of one internal batch; 0: chosen. Bounds memory; changes
                            no more than last bits */
  uint32_t reserved;     /**< 0 */
  int32_t *token_counts; /**< out, [pairs], nullable: tokens of each pair before truncation; above
                            max_length: the pair was cut */
  const cs_cancel *cancel; /**< nullable: looked at between internal batches */
} cs_rerank_options;

/** Initialiser of cs_rerank_options: `cs_rerank_options options = CS_RERANK_OPTIONS_INIT;`. @since
 * 0.1 */
#define CS_RERANK_OPTIONS_INIT \
  {(uint32_t)sizeof(cs_rerank_options), 0, NULL, NULL, NULL, 0, 0, NULL, NULL}

/**
 * Scores documents for a query. A higher score means a better answer. The scores are in the order
 * of the documents. If a pair is too long, the longer of its texts is cut first.
 *
 *     cs_model *reranker = cs_model_load("ms-marco-MiniLM-L6-v2", NULL, &error);
 *     const char *documents[2] = {"Berlin has 3.7 million inhabitants.",
 *                                 "Berlin is known for its museums."};
 *     float scores[2];
 *     if (reranker && cs_rerank(reranker, "How many people live in Berlin?", -1, documents, NULL,
 *                               2, NULL, scores, 2, &error) == CS_OK)
 *       printf("%.3f %.3f\n", scores[0], scores[1]);
 *
 * @param model a reranker, not NULL. @param query UTF-8, not NULL. @param query_length bytes, below
 * 2^31; -1: NUL-terminated. @param documents [n_documents] no item NULL; may be NULL where
 * n_documents is 0. @param lengths [n_documents] bytes; NULL: all are NUL-terminated. @param
 * n_documents 0 or more.
 * @param options nullable. @param[out] scores [n_documents, labels] float32. @param n_scores
 * elements of `scores`. @param[out] error nullable.
 * @return CS_OK, ARGUMENT (a sentence encoder; or with the text's index), FORMAT (key
 * "invalid_utf8" of the model), BUFFER, LIMIT, HANDLE, CANCELLED, NO_MEMORY, NUMERIC (with the
 * pair's index); after the last three the content of `scores` is undefined. Any thread. @since 0.1
 */
CS_API cs_status cs_rerank(const cs_model *model, const char *query, int64_t query_length,
                           const char *const *documents, const int64_t *lengths,
                           int64_t n_documents, const cs_rerank_options *options, float *scores,
                           int64_t n_scores, cs_error **error);

/**
 * Scores pairs of texts in one buffer, as bindings pass them: text j is data[offsets[j]] ..
 * data[offsets[j + 1]], without a NUL, and pair i is the texts 2 i (the query) and 2 i + 1 (the
 * document).
 * @param model, options, error as cs_rerank. @param data UTF-8, at most 2^31-1 bytes; may be
 * NULL where all texts are empty. @param offsets [2 * n_pairs + 1] not falling, not negative; may
 * be NULL where n_pairs is 0. @param n_pairs 0 or more. @param[out] scores [n_pairs, labels].
 * @param n_scores elements of `scores`. @return as cs_rerank. Any thread. @since 0.1
 */
CS_API cs_status cs_rerank_packed(const cs_model *model, const char *data, const int32_t *offsets,
                                  int64_t n_pairs, const cs_rerank_options *options, float *scores,
                                  int64_t n_scores, cs_error **error);

/* ---- Similarity, search, quantisation -------------------------------------------------------- */

/** How two embeddings are compared. Larger always means more alike: the two distances are negated.
 * @since 0.1 */
enum {
  CS_METRIC_COSINE = 0,    /**< in [-1, 1]; 0 where a vector is zero, never NaN */
  CS_METRIC_DOT = 1,       /**< inner product */
  CS_METRIC_EUCLIDEAN = 2, /**< minus the L2 distance */
  CS_METRIC_MANHATTAN = 3  /**< minus the L1 distance */
};

/**
 * Compares each vector of `a` with each of `b`: scores[i * n_b + j].
 *
 *     cs_similarity(vectors, n, vectors, n, dimension, CS_METRIC_COSINE, scores, n * n, &error);
 *
 * @param a [n_a, dimension]. @param n_a vectors of `a`. @param b [n_b, dimension]; may be the same
 * array as `a`. @param n_b vectors of `b`.
 * @param dimension 1 to 2^24. @param metric CS_METRIC_*.
 * @param[out] scores [n_a, n_b]; always finite after CS_OK. A product or distance beyond the range
 *   of float is the largest float with its sign. @param n_scores elements of `scores`.
 * @param[out] error nullable. @return CS_OK, ARGUMENT, BUFFER, LIMIT, NO_MEMORY, NUMERIC (NaN or
 *   infinity in `a` or `b`; names the vector and the dimension). After NO_MEMORY or NUMERIC the
 *   content of `scores` is undefined. Any thread. @since 0.1
 */
CS_API cs_status cs_similarity(const float *a, int64_t n_a, const float *b, int64_t n_b,
                               int64_t dimension, int32_t metric, float *scores, int64_t n_scores,
                               cs_error **error);

/**
 * Finds the `k` nearest vectors of a corpus for each query, exactly. The search goes block by block
 * and keeps no score matrix. The best comes first; of equal scores the lower index comes first. If
 * the corpus has fewer than k vectors, the rest of a row is index -1 and score -infinity.
 *
 *     int32_t indices[10];
 *     float scores[10];
 *     cs_search(query, 1, vectors, n, dimension, CS_METRIC_COSINE, 10, indices, scores, 10,
 *               NULL, &error);
 *
 * @param queries [n_queries, dimension]. @param n_queries 0 or more. @param corpus [n_corpus,
 * dimension]. @param n_corpus below 2^31.
 * @param dimension 1 to 2^24. @param metric CS_METRIC_*. @param k 1 or more.
 * @param[out] indices, scores [n_queries, k], not NULL. @param capacity elements of each of the
 * two. @param cancel nullable, looked at between blocks. @param[out] error nullable. @return CS_OK,
 * ARGUMENT, BUFFER, LIMIT, CANCELLED, HANDLE, NO_MEMORY, NUMERIC (NaN or infinity in `queries` or
 * `corpus`; names the vector and the dimension). After CANCELLED, NO_MEMORY or NUMERIC the content
 * of both arrays is undefined. Any thread. @since 0.1
 */
CS_API cs_status cs_search(const float *queries, int64_t n_queries, const float *corpus,
                           int64_t n_corpus, int64_t dimension, int32_t metric, int32_t k,
                           int32_t *indices, float *scores, int64_t capacity,
                           const cs_cancel *cancel, cs_error **error);

/** What embeddings are stored as. @since 0.1 */
enum {
  CS_PRECISION_FLOAT16 = 1, /**< IEEE half, 2 bytes a value, in the machine's byte order; rounded to
                               nearest, ties to even */
  CS_PRECISION_INT8 = 2,    /**< 1 byte: (x - start) / step - 128 for the start and step of its
                               dimension; beyond the range it saturates */
  CS_PRECISION_UBINARY = 3 /**< 1 bit: 1 where the value is above 0, highest bit first; (dimension +
                              7) / 8 bytes a row, padded with 0 */
};

/**
 * Measures the range of each dimension over a sample, for CS_PRECISION_INT8. A few hundred vectors
 * give a fair range. Use one calibration for a corpus and everything that you compare with it, and
 * store it beside them.
 * @param embeddings [n, dimension]. @param n above 0. @param dimension 1 to 2^24. @param[out]
 * calibration [2, dimension]: row 0 the start (least value), row 1 the step (1/255 of the range).
 * @param n_floats elements of `calibration`. @param[out] error nullable.
 * @return CS_OK, ARGUMENT, BUFFER, LIMIT, NUMERIC (NaN or infinity, with its row and dimension).
 * Any thread. @since 0.1
 */
CS_API cs_status cs_quantize_calibrate(const float *embeddings, int64_t n, int64_t dimension,
                                       float *calibration, int64_t n_floats, cs_error **error);

/**
 * Stores embeddings in fewer bytes, as numpy and sentence-transformers do. INT8 differs: values
 * beyond the range saturate here, and wrap around there. FLOAT16 keeps NaN, and holds infinity for
 * 65,520 and more. UBINARY takes NaN for a value that is not above 0.
 * @param embeddings [n, dimension]. @param n 0 or more. @param dimension 1 to 2^24. @param
 * precision CS_PRECISION_*. @param calibration [2, dimension] of cs_quantize_calibrate for INT8;
 * NULL otherwise.
 * @param[out] output n rows; at an even address for FLOAT16. @param n_bytes capacity of `output`.
 * @param[out] error nullable.
 * @return CS_OK, ARGUMENT, BUFFER, LIMIT, NUMERIC (INT8 of NaN or infinity; the content of `output`
 * is undefined). Any thread. @since 0.1
 */
CS_API cs_status cs_quantize(const float *embeddings, int64_t n, int64_t dimension,
                             int32_t precision, const float *calibration, uint8_t *output,
                             int64_t n_bytes, cs_error **error);

/* ---- Dataset --------------------------------------------------------------------------------- */

/**
 * Opens a file of training texts. Its lines stay on the disk and are read when they are needed, so
 * the file may be larger than memory. It must not change while it is in use: CORRUPT where its
 * length changed, or a line is no longer an example. The form is that of config key "data.format",
 * else of the file's name, else of its first line. Names of other forms (.csv, .json) are refused.
 *
 *   text   One text a line: .txt, and a first line without a tab or braces.
 *   tsv    Columns separated by tabs: one, a text; two, texts a and b of a pair; three, a pair and
 *          its label. Nothing is quoted. .tsv, and a first line with a tab. "data.header" = true
 *          says that the first line names the columns.
 *   jsonl  An object a line, with fields "text", or "a" and "b", "sentence1" and "sentence2",
 *          "query" and "answer", ...: .jsonl, .ndjson, and a first line in braces.
 *
 * Key "data.columns" names other columns or fields, "data.negatives" those with hard negatives,
 * "data.where" the lines to use. Each form may be gzip: the library unpacks it once, into an
 * unnamed file in $TMPDIR, which needs room for it. Errors name file and line; with "data.on_error"
 * = "skip" such lines are left out instead.
 * @param path not NULL. @param config keys of cs_config_describe("data"); nullable. @param[out]
 * error nullable.
 * @return a handle (cs_dataset_free), or NULL: NOT_FOUND, IO, FORMAT, CORRUPT, NO_SPACE, LIMIT,
 * ARGUMENT, HANDLE, BUSY. Any thread. @since 0.1
 */
CS_API cs_dataset *cs_dataset_open(const char *path, const cs_config *config, cs_error **error);

/** An empty dataset. Fill it by cs_dataset_add. @return a handle (cs_dataset_free), or NULL:
 * NO_MEMORY. @since 0.1 */
CS_API cs_dataset *cs_dataset_new(cs_error **error);

/**
 * Appends one example; the texts are copied. All examples of a dataset are single texts, or all are
 * pairs.
 * @param data not NULL, of cs_dataset_new. @param text_a not NULL. @param text_b the other text of
 * a pair; nullable. @param length_a, length_b bytes; -1: NUL-terminated. @param label a score, NaN
 * for none. @param[out] error nullable.
 * @return CS_OK, ARGUMENT, STATE (the dataset reads a file, or a trainer uses it), HANDLE, BUSY,
 * NO_MEMORY. @since 0.1
 */
CS_API cs_status cs_dataset_add(cs_dataset *data, const char *text_a, int64_t length_a,
                                const char *text_b, int64_t length_b, double label,
                                cs_error **error);

/**
 * Appends one example of any number of texts: one alone, a pair, or a pair and hard negatives. A
 * hard negative is a text that resembles the first one and does not belong to it. Methods that do
 * not use hard negatives ignore them.
 *
 *     const char *triplet[3] = {"how do I reset it", "hold the button for ten seconds",
 *                               "press the button to switch it on"};
 *     cs_dataset_add_texts(data, triplet, NULL, 3, NAN, &error);
 *
 * @param data not NULL, of cs_dataset_new. @param texts [columns] the first text, its positive,
 * negatives; no item NULL. An empty negative is ignored.
 * @param lengths [columns] bytes; NULL: all are NUL-terminated. @param columns 1 to 64. @param
 * label a score, NaN for none.
 * @param[out] error nullable. @return as cs_dataset_add. @since 0.1
 */
CS_API cs_status cs_dataset_add_texts(cs_dataset *data, const char *const *texts,
                                      const int64_t *lengths, int32_t columns, double label,
                                      cs_error **error);

/** How many examples there are, or a negative cs_status: HANDLE, BUSY. @since 0.1 */
CS_API int64_t cs_dataset_size(const cs_dataset *data);

/** Frees a dataset; a trainer that uses it keeps what it needs. @param data nullable. @since 0.1 */
CS_API void cs_dataset_free(cs_dataset *data);

/* ---- Trainer --------------------------------------------------------------------------------- */

/**
 * Begins a training run. The caller owns the loop: look at metrics, save, evaluate or stop between
 * two steps. There are no callbacks.
 *
 *     cs_config *config = cs_config_parse(
 *         "{\"method\": \"clsr\", \"max_steps\": 500, \"batch_size\": 64}", &error);
 *     cs_trainer *trainer = cs_trainer_new(model, data, config, &error);
 *     cs_status status = trainer ? CS_OK : cs_error_status(error);
 *     while (status == CS_OK) {
 *       status = cs_train_step(trainer, NULL, &error);
 *       if (status == CS_OK) printf("loss %.4f\n", cs_trainer_metric(trainer, "loss"));
 *     }
 *     if (status == CS_DONE) status = cs_trainer_save(trainer, "my-model", &error);
 *
 * The whole config is checked first. An unknown key is an error that names the nearest key.
 *
 * Figures during the run: key "dev" names a file. Every "eval_every" updates its score is measured,
 * and the best score chooses the best weights. Keys "evaluate.<task>.<key>", such as {"evaluate":
 * {"sts": {"data": "sts-dev.tsv"}, "retrieval": {"data": "pairs.tsv"}}}, run tasks of cs_evaluate
 * on the model as it would be saved then: every "evaluate_every" updates and at the end, or with
 * the dev evaluations if "evaluate_every" is 0. Each number of a report is a metric under its path,
 * "sts.spearman.all", in the metrics files too. With "dev_select" = "sts.spearman.all" such a
 * figure chooses the best weights in place of the dev file's score, and with "patience" it ends the
 * run. Evaluation changes no weight.
 *
 * Several devices or machines: {"dist": {"mode": "threads", "devices": ["cuda:0", "cuda:1"]}}
 * trains on each device with a thread of this process. "mode" = "keys" or "env" makes this process
 * one rank of a run that other processes share; cs_trainer_new then waits for them, "dist.timeout"
 * seconds at most. Ranks talk over sockets; threads use 127.0.0.1. The weights are those of one
 * process with the same batches. If a rank fails, the run ends on every rank with DISTRIBUTED and a
 * message that names it: save, and resume with any number of ranks. All ranks must make the same
 * calls in the same order, with less than "dist.timeout" between two of them. Metric "rank" says
 * which rank this is, "ranks" how many there are.
 *
 * Rerankers: method "reranker" trains one, from a reranker or from a sentence encoder, which gets a
 * new head. Key "dev" then names scored pairs, or queries with right and wrong documents, as
 * cs_mine writes them. Every other method trains sentence encoders, and a reranker is ARGUMENT.
 *
 *     cs_config *config = cs_config_parse(
 *         "{\"method\": \"reranker\", \"reranker.loss\": \"listwise\"}", &error);
 *     cs_trainer *trainer = cs_trainer_new(reranker, data, config, &error);
 *
 * @param model where training starts, not NULL; it does not change: cs_trainer_model gives the
 * result. @param data the examples; nullable: then only cs_train_batch works. While the trainer
 * lives, the dataset cannot grow. @param config keys of cs_config_describe("train"), not NULL.
 * @param[out] error nullable. @return a handle (cs_trainer_free), or NULL: ARGUMENT with key, value
 * and range; MISMATCH, UNSUPPORTED, FORMAT, NOT_FOUND, IO, NO_SPACE, NO_MEMORY, DEVICE,
 * DISTRIBUTED, HANDLE, BUSY. @since 0.1
 */
CS_API cs_trainer *cs_trainer_new(cs_model *model, const cs_dataset *data, const cs_config *config,
                                  cs_error **error);

/**
 * Finds mistakes in a training config before gigabytes of weights are loaded; cs_trainer_new makes
 * the same checks first. Always: unknown keys, values out of range, keys that contradict each
 * other. With examples: missing pairs or labels, a warm-up longer than the run (not for CLEAR's
 * blocks, which only a tokenizer counts), and files that the config names and that are missing or
 * hold something else. With a model's folder: layers that the method or an evaluation wants and the
 * model lacks, and texts longer than the model's positions.
 * @param config keys of cs_config_describe("train"), not NULL. To check them too, add "device" and
 * "precision" with which the model will be loaded. @param data the examples; NULL: any, and no file
 * is looked at. @param model_path the folder of the model to train; only its config.json and
 * modules.json are read; NULL: any model. @param[out] error nullable. @return CS_OK, ARGUMENT
 * naming the key, HANDLE, BUSY; for the files and the folder NOT_FOUND, FORMAT, UNSUPPORTED, LIMIT,
 * IO. Any thread. @since 0.1
 */
CS_API cs_status cs_trainer_check(const cs_config *config, const cs_dataset *data,
                                  const char *model_path, cs_error **error);

/**
 * Makes one update of the weights. The first call also computes what the method needs once (CLSR:
 * the embeddings of all texts). That may take minutes. An error may come from the evaluations
 * behind the update. Then metric "step" counts the update, and the next call makes these
 * evaluations first.
 * @param trainer not NULL. @param cancel nullable: looked at before an update, while preparing, and
 * during the evaluations behind an update. An update that has begun is finished.
 * @param[out] error nullable. @return CS_OK: one update was made; CS_DONE: the run is over and
 * nothing was done; CANCELLED: the weights are those of metric "step". You may save the run. A
 * later call goes on; if an evaluation was stopped, it makes that first; NUMERIC: the loss or a
 * gradient is not finite and the weights are untouched; CORRUPT: the data file changed; STATE (no
 * dataset; an earlier update failed with some weights moved and others not), FORMAT (a text, where
 *   key "invalid_utf8" of the model is "error"), DISTRIBUTED (another rank failed), NO_MEMORY, IO,
 * NO_SPACE, HANDLE, BUSY. @since 0.1
 */
CS_API cs_status cs_train_step(cs_trainer *trainer, const cs_cancel *cancel, cs_error **error);

/**
 * Makes one update on a batch from the caller: from a queue, a cursor, a generator. After an error,
 * look at metric "step" before you give the same batch again: if it has grown, the batch is
 * trained, and what failed is an evaluation behind it.
 * @param trainer not NULL. @param texts [n_examples, columns] row by row, no item NULL. @param
 * lengths [n_examples, columns] bytes; NULL: all are NUL-terminated. @param n_examples what the
 * method needs, at least 2 for in-batch negatives. @param columns 1: texts; 2: pairs; 3 to 64:
 * pairs with hard negatives. An empty negative is ignored.
 * @param labels [n_examples], NaN for none; nullable. @param cancel nullable, as in cs_train_step.
 * @param[out] error nullable. @return as cs_train_step, and ARGUMENT. @since 0.1
 */
CS_API cs_status cs_train_batch(cs_trainer *trainer, const char *const *texts,
                                const int64_t *lengths, int64_t n_examples, int32_t columns,
                                const double *labels, const cs_cancel *cancel, cs_error **error);

/**
 * The same for texts in one buffer: text i is data[offsets[i]] .. data[offsets[i + 1]], i = row *
 * columns + column; offsets has n_examples * columns + 1 entries. Everything else as
 * cs_train_batch. @since 0.1
 */
CS_API cs_status cs_train_batch_packed(cs_trainer *trainer, const char *data,
                                       const int32_t *offsets, int64_t n_examples, int32_t columns,
                                       const double *labels, const cs_cancel *cancel,
                                       cs_error **error);

/** Scores the dev set of config key "dev" and runs the tasks of keys "evaluate.*" now. Remembers
 * the weights if they are the best.
 * @param trainer not NULL. @param cancel nullable: looked at between batches of texts. @param[out]
 * error nullable. @return CS_OK, CANCELLED (no figure was kept), STATE (the config has neither; an
 * earlier update failed with some weights moved and others not), DISTRIBUTED (another rank failed),
 * HANDLE, BUSY, NO_MEMORY, and those of cs_evaluate. @since 0.1 */
CS_API cs_status cs_trainer_evaluate(cs_trainer *trainer, const cs_cancel *cancel,
                                     cs_error **error);

/**
 * The current value of one metric, or the last one that was measured: "loss" and its parts
 * "loss.<term>", "lr", "grad_norm", "step", "total_steps", "epoch", "steps_per_epoch", "skipped",
 * "truncated" (texts that were cut; not counted for CLSR, which embeds texts once),
 * "samples_per_second", "tokens_per_second"; with a dev set "dev"; "best_dev" and "best_step" of
 * the figure of "dev_select"; the figures of tasks, "sts.spearman.all". Every "watch_every" updates
 * the vectors of one batch are measured: "view.alignment" (with the last layer's, if a view has
 * several layers, as in SG-OPT), "view.uniformity", "view.mean_cosine", "view.effective_rank",
 * "view.zero_vectors", and "collapsed", 1 once they have become very similar. With "amp" =
 * "float16" there are "loss_scale" and "loss_scale_retries". "failed_saves" counts automatic
 * checkpoints that could not be written, "failed_lines" the records that could not be written to
 * "metrics_file" or "metrics_csv": neither ends the run.
 * @param trainer, name not NULL. @return the value; NaN if unknown, not measured yet, or the
 * trainer cannot be used now. @since 0.1
 */
CS_API double cs_trainer_metric(const cs_trainer *trainer, const char *name);

/** All metrics as a JSON object; null for those without a value yet. @return the text
 * (cs_string_free), or NULL: HANDLE, BUSY. @since 0.1 */
CS_API char *cs_trainer_metrics(const cs_trainer *trainer, cs_error **error);

/** The config in force with every default filled in, as JSON. @return the text (cs_string_free), or
 * NULL: HANDLE, BUSY. @since 0.1 */
CS_API char *cs_trainer_config(const cs_trainer *trainer, cs_error **error);

/**
 * The trained model: a sentence encoder, or a reranker with method "reranker". It is independent of
 * the trainer from then on.
 * @param trainer not NULL. @param best 0: with the current weights; 1: with the best ones on the
 * dev set, or the current ones if nothing was measured. @param[out] error nullable. @return a
 * handle (cs_model_free), or NULL: ARGUMENT, STATE (an earlier update failed with some weights
 * moved and others not), HANDLE, BUSY, NO_MEMORY. @since 0.1
 */
CS_API cs_model *cs_trainer_model(const cs_trainer *trainer, int32_t best, cs_error **error);

/**
 * Writes the model as it is now, and beside it the state that cs_trainer_resume needs. It is
 * atomic, as cs_model_save is. The card (README.md) says method, data, config, the figures measured
 * on these very weights, limits, how to load the model, and the paper to cite. It names files
 * without their folders. It names neither the time nor the machine. Keys "card.title",
 * "card.description", "card.license", "card.language", "card.datasets" and "card.base_model" say
 * what the run cannot know.
 * @param trainer, path not NULL. @param[out] error nullable. @return CS_OK, IO, NO_SPACE, ARGUMENT,
 * HANDLE, BUSY, STATE (an earlier update failed with some weights moved and others not). @since 0.1
 */
CS_API cs_status cs_trainer_save(const cs_trainer *trainer, const char *path, cs_error **error);

/** Writes the best model on the dev set (the current one if nothing was measured), without state.
 * Everything else as cs_trainer_save.
 * @since 0.1 */
CS_API cs_status cs_trainer_save_best(const cs_trainer *trainer, const char *path,
                                      cs_error **error);

/**
 * Goes on with a run from what cs_trainer_save wrote. On the CPU, with the same build and number of
 * threads, it gives the same bits as a run that was never interrupted. A GPU's sums differ in their
 * last bits from run to run.
 * @param path not NULL; in a folder of automatic checkpoints the newest is used. @param model, data
 * the ones that the run began with; model not NULL: of a run of a reranker the reranker or sentence
 * encoder that cs_trainer_new was given. @param overrides nullable: keys that do not change the
 * updates made so far. cs_config_describe marks them with "may_change": how long the run is, how it
 * is evaluated, when it stops early, and what it writes. In a run of stages such a key holds for
 * all stages, and "stage2.max_steps" for one that is not over. "stage2.dataset" and "task2.dataset"
 * may name a new place of the same data. @param[out] error nullable.
 * @return a handle, or NULL: MISMATCH naming the field that differs, CORRUPT, NOT_FOUND (no state
 * there), and those of cs_trainer_new. @since 0.1
 */
CS_API cs_trainer *cs_trainer_resume(const char *path, cs_model *model, const cs_dataset *data,
                                     const cs_config *overrides, cs_error **error);

/** Frees a trainer. @param trainer nullable. @since 0.1 */
CS_API void cs_trainer_free(cs_trainer *trainer);

/* ---- Evaluate -------------------------------------------------------------------------------- */

/**
 * Measures a model.
 *
 *     cs_config *config = cs_config_parse("{\"data\": \"sts-benchmark/test.tsv\"}", &error);
 *     char *report = cs_evaluate(model, "sts", config, NULL, &error);
 *
 * Tasks, with the file forms that their keys name. "sts" and "reranking" measure sentence encoders
 * and rerankers; every other task measures embeddings, and a reranker is ARGUMENT.
 *
 * "sts": correlation with human scores, over a TSV file (score, sentence, sentence) or a folder of
 * them, one subset each: {"spearman": {"all", "mean", "wmean"}, "pearson": {...}, "subsets":
 * {...}}. "all" pools the pairs, "mean" averages the subsets. SemEval's, SentEval's, STS-B's and
 * SICK's own files are recognised; a folder of such folders gives {"headline", "spearman",
 * "pearson" (averages), "sets": {name: the form above}}, every distinct text encoded once. What is
 * correlated is the similarity of two embeddings, or a reranker's score. "output" names a file for
 * the pairs: set, subset, score, similarity, both texts.
 *
 * "sts-layers": that figure for every layer under cls, mean and max pooling: {"layers", "spearman":
 * {pooling: [figures]}, "pearson", "best"}.
 *
 * "sts-tokens": that figure when the most frequent tokens are left out of pooling: {"removed":
 * [...], "spearman": [...], "pearson", "best", "tokens"}.
 *
 * "retrieval": finding the document that goes with a query among all documents: accuracy,
 * precision, recall, MRR, nDCG and MAP at k, over a TSV of pairs or a BEIR folder.
 *
 * "reranking": ordering the candidate documents of each query, of which some are right: {"queries",
 * "documents", "map", "accuracy@1", "mrr@1", "ndcg@1", ...} for each of "k", over JSON lines as
 * cs_mine writes them, or a TSV (query, right document, wrong documents; or query, document,
 * label). The order is by the similarity of two embeddings, or by a reranker's score; ties count
 * against right documents.
 *
 * "pairs": separating pairs that belong together from others: best accuracy and F1 with their
 * thresholds, average precision, for every similarity, over a TSV (label 0 or 1, text, text).
 *
 * "triplets": how often an anchor is more similar to its positive than to its negative, over a TSV
 * (anchor, positive, negative).
 *
 * "paraphrases": finding the paraphrases among all texts by their similarity: average precision,
 * best F1 and threshold, over a TSV as "pairs" has it, or files of texts and duplicates by id.
 *
 * "geometry": alignment, uniformity, mean cosine and effective rank of the embeddings: a collapsed
 * model shows here first.
 *
 * "tsne": a map in which texts with similar embeddings are close together: {"points": [{"pair",
 * "side", "gold", "x", "y"}, ...], "kl", "perplexity"} for pairs of two scores of a TSV as "sts"
 * has it, or {"row", "label", "x", "y"} for lines of texts.
 *
 * "glue": fine-tuning to the tasks of GLUE, each in a folder inside "data" (GLUE's own TSV files,
 * or lines "label TAB text [TAB text]"): a copy of the encoder trains with a classification head
 * for every seed and cell of a grid. {"average": over tasks without WNLI, "tasks": {name: {figures:
 * mean over seeds, "score", "std", "runs": [...], "grid": [...]}}}; it takes minutes to days.
 *
 * "transfer": SentEval's MR, CR, SUBJ, MPQA, SST2, SST5, TREC and MRPC: accuracies of a classifier
 * on frozen embeddings, {"tasks": {"MR": {"dev", "test"}, ...}, "average"}, over SentEval's
 * downstream folder or a folder of TASK/{all,train,dev,test}.tsv (label, text).
 *
 * "sts-supervised": {"pearson", "spearman", "mse"} of scores from 1 to 5 that a classifier learns:
 * a data set with splits, as "sts" knows them.
 *
 * @param model not NULL. @param task one of these names, not NULL. @param config keys of
 * cs_config_describe(task), not NULL. @param cancel nullable: polled between batches.
 * @param[out] error nullable. @return JSON (cs_string_free), or NULL: ARGUMENT (an unknown task,
 * with the nearest name; or a task that does not measure this kind of model), NOT_FOUND, IO, FORMAT
 * (with file and line), CANCELLED, HANDLE, BUSY (the config), NO_MEMORY, NUMERIC. Any thread.
 * @since 0.1
 */
CS_API char *cs_evaluate(const cs_model *model, const char *task, const cs_config *config,
                         const cs_cancel *cancel, cs_error **error);

/**
 * Tells what cs_evaluate will report with these keys, without a model: which figures the report
 * has, and whether all files exist. It reads the data and computes nothing.
 * @param task, config as cs_evaluate, not NULL. @param[out] error nullable. @return JSON
 * (cs_string_free), or NULL as cs_evaluate. It is the report with null or any number in the place
 * of figures that depend on the model, and an empty list where the model decides the length. Any
 *   thread. @since 0.1
 */
CS_API char *cs_evaluate_outline(const char *task, const cs_config *config, cs_error **error);

/* ---- Mine ------------------------------------------------------------------------------------ */

/**
 * Mines hard negatives: for pairs (anchor, positive) it finds texts that resemble the anchor but do
 * not answer it, and writes them as a file to train on.
 *
 *     cs_dataset *pairs = cs_dataset_open("pairs.tsv", NULL, &error);
 *     cs_dataset *corpus = cs_dataset_open("documents.txt", NULL, &error);
 *     char *report = cs_mine(model, NULL, pairs, corpus, "mined.jsonl", NULL, NULL, &error);
 *
 * The search is exact. Filters, ranges of ranks, sampling and forms of the output are those of
 * sentence-transformers' mine_hard_negatives: keys of cs_config_describe("mining"). A text that
 * equals a positive or the anchor, apart from case or white space, is not a negative. Empty texts
 * are left out; the log warns and says how many. Memory: 500 MB beside the model, 400 bytes for
 * each distinct text and 8 for each negative of each pair. The vectors lie in the folder
 * OUTPUT.vectors while the call runs. A call that was cancelled or whose process was killed leaves
 * them there, and the same call goes on with them; key "cache" names a folder that stays. At
 * CS_LOG_INFO the log says "mining: 4096 of 100000 documents embedded", at most once a second.
 * @param model a sentence encoder, not NULL: it embeds anchors and texts. @param guide nullable: a
 * second model. It scores the candidates that the first has found, and these scores decide. A
 * sentence encoder compares embeddings. A reranker, which must have one label, reads each candidate
 * and each positive together with the anchor. That takes far longer: keys "num_negatives" and
 * "range_max" say how many candidates there are, and a call that continues asks the reranker again.
 * @param pairs a dataset of pairs, not NULL. @param corpus a dataset of texts; NULL: the positives.
 * The positives are candidates in any case. @param output not NULL: the file; its name ends in
 * .jsonl, .ndjson or .tsv. It is replaced only when all is found.
 * @param config nullable: keys of cs_config_describe("mining"). @param cancel nullable: looked at
 * between batches of texts and in the search.
 * @param[out] error nullable.
 * @return a JSON object (cs_string_free): "rows" and "missing_rows" of the output, "pairs",
 * "queries", "documents", "negatives", "queries_without_negatives", "queries_with_fewer",
 * "range_max", "candidates", "removed" (how many candidates each filter took out), "input" (what
 * was left out or found twice), "embedded", "scores" (of the positives, the negatives, and the
 * difference: "count", "mean", "median", "std", "min", "q25", "q50", "q75", "max"), "sample"
 * (queries with their negatives, to look at). Or NULL: ARGUMENT naming the key, or, if no negative
 * is left, the count of each filter; HANDLE, BUSY (a dataset), CANCELLED, FORMAT (a text with a tab
 * in a .tsv, or malformed for a strict model), CORRUPT (a dataset's file changed), IO, NO_SPACE,
 * NO_MEMORY, NUMERIC (a text without a finite vector). Any thread. @since 0.1
 */
CS_API char *cs_mine(const cs_model *model, const cs_model *guide, const cs_dataset *pairs,
                     const cs_dataset *corpus, const char *output, const cs_config *config,
                     const cs_cancel *cancel, cs_error **error);

/* ---- Adapt ----------------------------------------------------------------------------------- */

/**
 * Adapts a model to pairs of a query and the document that answers it, and writes the result only
 * if it is better.
 *
 *     cs_model *model = cs_model_load("all-MiniLM-L6-v2", NULL, &error);
 *     cs_dataset *pairs = cs_dataset_open("clicks.tsv", NULL, &error);
 *     cs_dataset *corpus = cs_dataset_open("documents.txt", NULL, &error);
 *     char *report = cs_adapt(model, pairs, corpus, "adapted", NULL, NULL, &error);
 *
 * It does all of this: repeated pairs are dropped, and the others split by "seed" into three parts
 * to train on, to choose by and to test; pairs that share a text stay together, and near-duplicates
 * of held-out pairs are not trained on. The model as it is searches the corpus for the answers of
 * the test queries. Hard negatives are mined for the training pairs (cs_mine), and the model is
 * trained, by "method" = mnrl unless the config names another, until the dev part gets no better.
 * The trained model is tested with the same queries, and a paired bootstrap says between which
 * bounds the gain lies. If "metric" rises by "min_gain", the model is written to OUTPUT, else
 * nothing is.
 *
 * While the call runs, all that it has found lies in the folder OUTPUT.adapting. A call that was
 * cancelled or whose process was killed leaves it there, and the same call goes on: a step that is
 * done is not done again. With other inputs it is MISMATCH. At the end the folder is removed. At
 * CS_LOG_INFO the log tells the steps, "mining: 4096 of 100000 documents embedded" and "adapt: 10
 * of 200 updates made".
 * @param model a sentence encoder, not NULL: the model to start from; it stays as it is. @param
 * pairs a dataset of pairs, query and document, not NULL.
 * @param corpus a dataset of texts, what is searched beside the documents of the pairs; NULL: those
 * alone. @param output not NULL: the folder for the model. One that is there, and holds a model, is
 * replaced at the end, atomically.
 * @param config nullable: keys of cs_config_describe("adapt"); all keys of a training run but those
 * that the call decides are among them.
 * @param cancel nullable: looked at all the time. @param[out] error nullable.
 * @return a JSON object (cs_string_free): "shipped" (whether the model was written), "reason" (a
 * sentence), "output", "metric", "figures" (for each metric "before", "after", "gain", "low",
 * "high", "significant"), "data" (what was read, left out and held out), "mining" (cs_mine's
 * report, or null), "training" ("rows", "with_negatives", "steps", "best_step", "start_dev",
 * "best_dev", "course", "config"), "examples" (queries that got "better" and "worse"), "warnings"
 * ("count", "what"), "settings". Or NULL: ARGUMENT naming the key, or the number of pairs that are
 * needed; MISMATCH where another adaptation was broken off; HANDLE, BUSY (a dataset, or another
 * process with the same output), CANCELLED, and the errors of cs_mine and cs_train_step. Any
 * thread. @since 0.1
 */
CS_API char *cs_adapt(const cs_model *model, const cs_dataset *pairs, const cs_dataset *corpus,
                      const char *output, const cs_config *config, const cs_cancel *cancel,
                      cs_error **error);

/* ---- Cancel ---------------------------------------------------------------------------------- */

/** A flag that stops long calls. Pass it to them, and raise it from any thread. @return a handle
 * (cs_cancel_free), or NULL: NO_MEMORY. @since 0.1 */
CS_API cs_cancel *cs_cancel_new(cs_error **error);

/** Raises the flag permanently: calls that hold it return CANCELLED soon, later calls at once. Does
 * nothing to NULL. Any thread. @since 0.1 */
CS_API void cs_cancel_trigger(cs_cancel *cancel);

/** Frees a cancel flag; calls that hold it keep what they need. @param cancel nullable. Any thread.
 * @since 0.1 */
CS_API void cs_cancel_free(cs_cancel *cancel);

/* ---- Log ------------------------------------------------------------------------------------- */

/** Levels of messages. @since 0.1 */
enum {
  CS_LOG_DEBUG = 0,  /**< for debugging the library */
  CS_LOG_INFO = 1,   /**< what was done */
  CS_LOG_WARNING = 2 /**< what was not done as asked, or may be a mistake */
};

/**
 * Receives one message: UTF-8 without a newline, valid during the call. It may come from any
 * thread, one call at a time, must not throw, and must not call the library: its functions return
 * CS_ERROR_BUSY from there. @since 0.1
 */
typedef void (*cs_log_function)(int32_t level, const char *message, void *user);

/**
 * Sets where messages go, for the whole process. Without a sink nothing is printed. When this
 * returns, no call of the former sink is running.
 *
 *     static void print(int32_t level, const char *message, void *user) {
 *       (void)level;
 *       fprintf((FILE *)user, "%s\n", message);
 *     }
 *     cs_set_log_sink(print, CS_LOG_INFO, stderr, NULL);
 *
 * @param sink nullable: silence. @param lowest CS_LOG_*: the lowest level that it is given. @param
 * user passed on as it is; nullable.
 * @param[out] error nullable. @return CS_OK, ARGUMENT, BUSY (called from a sink). Any thread.
 * @since 0.1
 */
CS_API cs_status cs_set_log_sink(cs_log_function sink, int32_t lowest, void *user,
                                 cs_error **error);

#ifdef __cplusplus
}
#endif

#endif /* CONTRASTIVE_CONTRASTIVE_H */
