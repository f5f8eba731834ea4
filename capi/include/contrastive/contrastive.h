/**
 * libcontrastive: sentence embeddings by contrastive learning. Load an encoder, embed and compare
 * texts, train it on your own texts, and save it.
 *
 * This header is the manual of the library. Read it from top to bottom. It is plain C99, and it is
 * the only header of the library. Here is a first program. It needs the folder that
 * `hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2` fetches.
 *
 *     #include <contrastive/contrastive.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *       cs_error *error = NULL;
 *       cs_model *model = cs_model_load("all-MiniLM-L6-v2", NULL, &error);
 *       const char *texts[2] = {"A man is eating food.", "Someone has a meal."};
 *       float vectors[2 * 384], score;
 *       if (model && cs_encode(model, texts, NULL, 2, NULL, vectors, 2 * 384, &error) == CS_OK &&
 *           cs_similarity(vectors, 1, vectors + 384, 1, 384, CS_METRIC_COSINE, &score, 1,
 *                         &error) == CS_OK)
 *         printf("%.3f\n", score);
 *       else
 *         fprintf(stderr, "%s\n", cs_error_message(error));
 *       cs_error_free(error);
 *       cs_model_free(model);
 *       return 0;
 *     }
 *
 * ## How to read the descriptions
 *
 * - "Nullable" means that the parameter may be NULL. Any other pointer must not be NULL.
 * - `[n, dimension]` is the shape of an array: n rows of `dimension` elements.
 * - Statuses are named without their prefix: "X is FORMAT" means that a call with X returns
 *   CS_ERROR_FORMAT.
 * - "Keys of X" are keys of a cs_config. cs_config_describe(X) lists them with their defaults.
 * - "Thread-safe" means that any number of threads may make this call at the same time.
 * - `@since` gives the version in which a symbol appeared.
 *
 * ## Functions and errors
 *
 * There are three kinds of functions. A constructor returns a new handle or a new string, or NULL
 * if it fails. A command returns a cs_status. A value below 0 means that it failed. An accessor
 * returns its value.
 *
 * Many functions have a last parameter `cs_error **error`. It is nullable. A call that fails sets
 * `*error` to an object that the caller frees. A call that succeeds leaves `*error` as it is. Set
 * it to NULL once, before the first call. A call that fails changes nothing and leaks nothing,
 * unless its description says otherwise.
 *
 * A call that runs out of memory returns CS_ERROR_NO_MEMORY. The error object itself needs no
 * memory. You may repeat the call. There is one exception: LibTorch, which is used mostly for
 * training, can end the process if it cannot allocate a few bytes at these moments:
 *
 * - when it releases the graph of an update that failed halfway,
 * - when it computes on a thread for the first time,
 * - when the first call that needs LibTorch loads it.
 *
 * With the key "amp" on the CPU, oneDNN can end the process in more places. tests/faults/RESULTS.md
 * in the sources has the stacks.
 *
 * ## Strings
 *
 * Strings that you pass are UTF-8. A text has a length in bytes and may contain NUL bytes. The
 * length -1 means that the text ends at its first NUL. Paths, keys and names always end at their
 * first NUL. Invalid UTF-8 in a text is replaced by U+FFFD, as with Python's errors="replace". If
 * you load a model with the config key "invalid_utf8" = "error", a call with such a text computes
 * nothing and returns CS_ERROR_FORMAT. The message names the text and the byte.
 *
 * A text of more than 1 MiB is tokenized in parts of at most 1 MiB, so that memory does not grow
 * with the text. A part ends before a space, tab or line break, where the tokens of usual models
 * end too. If there is no such place, a part ends after any character, so that a word of more than
 * 1 MiB becomes several words. Normalizers that add or remove something at the ends of a text
 * (Prepend, Append, Strip) act on each part.
 *
 * A `char *` that a function returns belongs to the caller, who frees it with cs_string_free. A
 * `const char *` belongs to the library. JSON that the library returns is ASCII.
 *
 * ## Arrays
 *
 * Arrays belong to the caller. They are row-major and contiguous. A parameter next to each array
 * gives its capacity in elements. If an array is too small, the call writes nothing and returns
 * CS_ERROR_BUFFER. The message states the required size. Inputs and outputs must not overlap.
 *
 * ## Handles
 *
 * Handles such as `cs_model *` are opaque. Never dereference one. A call returns CS_ERROR_HANDLE if
 * a handle was freed, was never created, has another type, or belongs to another copy of the
 * library. Free handles in any order: a trainer keeps its model and its data alive. If one thread
 * frees a handle while another thread uses it in a call, that call finishes first. Freeing NULL
 * does nothing.
 *
 * ## Threads
 *
 * Any number of threads may use a cs_model at the same time. A model never changes: a trainer
 * copies its weights and changes only the copy. Any thread may use a cs_cancel at any time. Every
 * other handle is for one thread at a time. A call from a second thread returns CS_ERROR_BUSY.
 *
 * All calls of a process share one pool of threads (cs_set_threads). Its threads sleep when there
 * is nothing to do. Other busy processes slow a call down by little more than their share of the
 * processors. If the system refuses to start threads (a limit on processes), calls continue with
 * the existing threads. On every thread that has called this library, LibTorch computes with one
 * thread. This also applies to other users of the same LibTorch.
 *
 * A call needs 128 KiB of stack. A call that computes with LibTorch (training, evaluating, dense
 * modules, bfloat16) needs 256 KiB. If the calling thread has less, the call returns
 * CS_ERROR_LIMIT.
 *
 * A thread that pthread_cancel() cancels during a call ends after that call. A log sink must
 * return: pthread_exit() in it ends the process.
 *
 * ## Signals, code and connections
 *
 * The library installs no signal handler. Its own threads block all signals except faults, so the
 * handlers of the host run on the host's threads. There is one exception. A thread of the library
 * that has called a log sink lets SIGPWR, SIGXCPU and the real-time signals through, because .NET
 * and Mono use them to stop threads for garbage collection.
 *
 * The library runs no code from a model folder. It opens no connection unless the config of a
 * trainer sets "dist.mode".
 *
 * ## Operating systems
 *
 * Paths are UTF-8 with '/' between names. On Windows '\' separates names too, and a path may have
 * more than 260 characters. Names that Windows reserves or cannot store ("nul", "com1.txt", "a:b",
 * "a.") can be neither found nor created.
 *
 * Linux and macOS replace a folder in one step, where the file system can. Windows cannot: the
 * folder does not exist between two renames (cs_model_save). If another program has a file in it
 * open without sharing it, the save returns IO, and the old folder stays.
 *
 * Training, CUDA and the few encoders that need LibTorch run on Linux with glibc, and on macOS on
 * arm64. Elsewhere a call that needs LibTorch returns CS_ERROR_UNSUPPORTED. On Windows the sections
 * on signals, fork() and exit() do not apply: exit() ends all other threads before anything else.
 *
 * ## fork()
 *
 * A child process computes and trains with threads of its own. It may use every handle of its
 * parent if no other thread was in a call at the time of the fork. There is one exception: if the
 * data threads of a trainer stayed in the parent, cs_train_step returns CS_ERROR_STATE.
 *
 * ## exit()
 *
 * Once LibTorch is loaded, exit() first cancels the calls of other threads, as a cs_cancel does. It
 * waits for these calls for at most five seconds. It does not wait for a thread inside a log sink.
 * Then exit() continues and destroys LibTorch's static objects. A thread that is still inside the
 * library sleeps from its next check of the cancel flag until the process ends.
 *
 * Calls made after exit() has begun return CS_ERROR_CANCELLED, and free functions keep the memory.
 * A handler of atexit() must therefore not use the library, no matter when it was registered. The
 * library never ends the process itself. Without LibTorch nothing is destroyed, and exit() waits
 * for no call.
 *
 * exit() can still crash in three cases:
 *
 * - A call runs for longer than five seconds without a check of its cancel flag.
 * - Another thread is loading LibTorch.
 * - LibTorch computed something of a new kind in the last minute (a first update, a first
 *   evaluation). It creates static objects then, and exit() destroys them before it waits.
 *
 * A program that cannot exclude these cases cancels its calls and joins their threads before it
 * calls exit(), or it ends with _exit().
 *
 * ## Compatibility
 *
 * While CS_ABI_VERSION stays the same, symbols are added but never changed, and the numbers of
 * constants are fixed. VERSIONING.md in the sources says what an update may change, and how long a
 * deprecated symbol stays.
 */
#ifndef CONTRASTIVE_CONTRASTIVE_H
#define CONTRASTIVE_CONTRASTIVE_H

#include <stddef.h>
#include <stdint.h>

/** The first number of this header's version. cs_version() returns the library's version. */
#define CS_VERSION_MAJOR 0
/** The second number of this header's version. */
#define CS_VERSION_MINOR 1
/** The third number of this header's version. */
#define CS_VERSION_PATCH 0

/**
 * The number of the binary interface. The SONAME of the library ends in it. A program that was
 * built for one number runs with every library of that number.
 */
#define CS_ABI_VERSION 0

/** Marks a symbol that the library exports. */
#if defined(CS_BUILDING_DLL)
#define CS_API __declspec(dllexport)
#elif defined(__GNUC__)
#define CS_API __attribute__((visibility("default")))
#else
#define CS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types and results ----------------------------------------------------------------------- */
/*
 * The types of handles and the results of calls. Each type of handle has a section below.
 * @since 0.1
 */

typedef struct cs_error cs_error;     /**< why a call failed */
typedef struct cs_config cs_config;   /**< keys with values */
typedef struct cs_model cs_model;     /**< a sentence encoder or a reranker */
typedef struct cs_dataset cs_dataset; /**< texts to train on */
typedef struct cs_trainer cs_trainer; /**< a training run */
typedef struct cs_cancel cs_cancel;   /**< a flag that stops calls */

/**
 * The result of a command. 0 is success, a value above 0 is a variant of success, and a value below
 * 0 is an error. Later versions may add values, so test for `< 0`.
 * @since 0.1
 */
typedef int32_t cs_status;

/**
 * Values of cs_status.
 * @since 0.1
 */
enum {
  CS_OK = 0,                  /**< success */
  CS_DONE = 1,                /**< success, and the trainer has no step left */
  CS_ERROR_ARGUMENT = -1,     /**< an argument or a config value is not allowed */
  CS_ERROR_HANDLE = -2,       /**< a handle is NULL, freed, of another type, or of another copy
                                   of the library */
  CS_ERROR_STATE = -3,        /**< the object cannot do this now, for instance after an error that
                                   left it half changed */
  CS_ERROR_BUSY = -4,         /**< another thread or process uses the object: wait and try again */
  CS_ERROR_BUFFER = -5,       /**< the caller's buffer is too small; nothing was written */
  CS_ERROR_NOT_FOUND = -6,    /**< a file, folder, tensor or key does not exist */
  CS_ERROR_IO = -7,           /**< the operating system refused a read or write */
  CS_ERROR_NO_SPACE = -8,     /**< the disk or quota is full; an older folder is still intact */
  CS_ERROR_FORMAT = -9,       /**< a file, or a text that is checked, is malformed; the message
                                   names the place */
  CS_ERROR_UNSUPPORTED = -10, /**< well-formed, but of a kind that this library does not support;
                                   or training is not installed */
  CS_ERROR_LIMIT = -11,       /**< larger than a documented limit */
  CS_ERROR_MISMATCH = -12,    /**< two things that must agree do not: shapes, or a resumed run and
                                   its configuration */
  CS_ERROR_CORRUPT = -13,     /**< a checksum or length is not what was written */
  CS_ERROR_NO_MEMORY = -14,   /**< host or device memory is exhausted; objects stay usable unless
                                   later calls return CS_ERROR_STATE */
  CS_ERROR_DEVICE = -15,      /**< no such device, or its driver cannot be used */
  CS_ERROR_NUMERIC = -16,     /**< NaN or infinity where a finite number is needed */
  CS_ERROR_CANCELLED = -17,   /**< a cs_cancel was triggered, or the process exits */
  CS_ERROR_DISTRIBUTED = -18, /**< another rank of the run failed, or did not arrive in time */
  CS_ERROR_INTERNAL = -99     /**< a bug in this library: please report the message */
};

/* ---- Version and build ----------------------------------------------------------------------- */
/*
 * Which library this is, and settings of the whole process: threads and the location of LibTorch.
 */

/**
 * Returns the version of the library as "MAJOR.MINOR.PATCH".
 * @return A static string, never NULL.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API const char *cs_version(void);

/**
 * Returns the CS_ABI_VERSION of the library. Programs that load the library at run time compare it
 * with their own.
 * @return The number of the binary interface.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API int32_t cs_abi_version(void);

/**
 * Describes the library, its location and its hardware support as a JSON object. The call loads
 * the training plugin if it is installed. The object has these members:
 *
 * - "version", "abi", "compiler": how the library was built
 * - "library_path": where it is
 * - "cpu": the instruction set that encoding uses
 * - "threads": how many threads a call computes with
 * - "libtorch", "libtorch_path": the version and path of LibTorch; "" if training is not installed
 * - "libtorch_reason": why training is not installed
 * - "cuda": {"devices", "reason"}; the number of usable GPUs, and the reason if it is 0
 *
 * @param[out] error Nullable.
 * @return The text (free it with cs_string_free), or NULL: NO_MEMORY.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API char *cs_build_info(cs_error **error);

/**
 * Returns how many handles of all types exist in this process. A leak test compares the number
 * before and after.
 * @return The number of live handles.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API int64_t cs_live_handles(void);

/**
 * Sets how many threads one call may compute with. The number applies to the whole process, for
 * calls that start later.
 *
 * The default is OMP_NUM_THREADS if that is set. Otherwise it is one thread for each processor that
 * this process may run on, limited by the CPU quota of its control groups (cgroup v1 and v2,
 * rounded up). Scores of cs_similarity and cs_search are bit for bit the same with any number of
 * threads. A training run is reproducible bit for bit with the same number of threads.
 *
 * @param threads 1 to 1024; 0 restores the default.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_set_threads(int32_t threads, cs_error **error);

/**
 * Sets the folder of LibTorch. It is the folder that contains lib/libtorch_cpu.so, or that lib
 * folder itself.
 *
 * The library looks for LibTorch when a call first needs it. It tries these places in order:
 *
 * 1. the LibTorch that the host has loaded already
 * 2. the folder that this function sets
 * 3. the folder in the environment variable CONTRASTIVE_LIBTORCH
 * 4. if neither folder is set: next to the library, the folder that was configured at build time
 *    (/opt/libtorch for packages), the user's cache that packaging/bootstrap.sh fills, an installed
 *    Python torch, and the search path of the loader
 *
 * An installation has a training plugin for one or more versions of LibTorch: libcontrastive-torch
 * for 2.11, libcontrastive-torch-2.10 for 2.10, and so on. The library reads the version of the
 * LibTorch that it found and loads that plugin. For another version the call returns MISMATCH, and
 * the message lists the versions that there are.
 *
 * The constructor of a shared library must not make the first call that needs LibTorch.
 *
 * @param folder Nullable. NULL or "" restores the search without this folder.
 * @param[out] error Nullable.
 * @return CS_OK, or STATE if another LibTorch is loaded already.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_set_libtorch(const char *folder, cs_error **error);

/**
 * Frees a `char *` that this library returned.
 * @param text Nullable.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API void cs_string_free(char *text);

/* ---- Errors ---------------------------------------------------------------------------------- */
/*
 * Why a call failed. An error belongs to the call that set it: there is no last error of a thread
 * or of the process. Its status is for programs, its message is for people. The caller frees it.
 * Nothing else needs to be cleaned up after a failed call.
 */

/**
 * Returns the status of an error.
 * @param error The error.
 * @return A value below 0; CS_ERROR_HANDLE if `error` is not a live error.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_error_status(const cs_error *error);

/**
 * Returns the message of an error: what is wrong, where, and what to do.
 * @param error The error.
 * @return One or two sentences in UTF-8, valid until the error is freed. Never NULL.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API const char *cs_error_message(const cs_error *error);

/**
 * Frees an error.
 * @param error Nullable.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API void cs_error_free(cs_error *error);

/**
 * Returns the name of a status without its prefix, such as "OK", "DONE" or "FORMAT".
 * @param status A cs_status.
 * @return A static string; "UNKNOWN" for any other number.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API const char *cs_status_name(cs_status status);

/* ---- Config ---------------------------------------------------------------------------------- */
/*
 * Options of models, methods, optimisers and tasks. A config has dotted keys with values, so new
 * keys do not change this header. A misspelt key is an error that names the nearest key. Keys that
 * begin with "x-" are the caller's own: the library keeps them and does not read them.
 */

/**
 * Creates a config from JSON. Nested objects and dotted keys mean the same:
 *
 *     cs_config *nested = cs_config_parse("{\"clsr\": {\"temperature\": 0.1}}", &error);
 *     cs_config *dotted = cs_config_parse("{\"clsr.temperature\": 0.1}", &error);
 *
 * @param json Nullable. A JSON object; NULL for an empty config.
 * @param[out] error Nullable.
 * @return A handle (free it with cs_config_free), or NULL: FORMAT with the byte offset, or LIMIT
 *   for more than 64 MB or 64 levels.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_config *cs_config_parse(const char *json, cs_error **error);

/**
 * Sets one key to a value, written as on a command line.
 *
 * The value is read as JSON if it is a JSON scalar or list, such as `0.1`, `true` or `[1,2]`.
 * Otherwise it is a text, such as `lars`. A text that looks like JSON needs the quotes of JSON:
 * `1.10` is the number 1.1, and `"1.10"` with its quotes is a text. cs_config_parse does not guess.
 * The function that uses the config checks whether the key exists and whether the value is in
 * range.
 *
 * @param config The config to change.
 * @param key A dotted key.
 * @param value The value as text.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT, HANDLE, BUSY.
 * @note One thread at a time may use `config`.
 * @since 0.1
 */
CS_API cs_status cs_config_set(cs_config *config, const char *key, const char *value,
                               cs_error **error);

/**
 * Copies every entry of `other` into `config`, where it replaces an entry with the same key. A
 * program can use this to give its flags precedence over the environment, and the environment
 * precedence over a file.
 * @param config The config to change.
 * @param other The config to copy from; not `config` itself.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT, HANDLE, BUSY.
 * @note One thread at a time may use `config` and `other`.
 * @since 0.1
 */
CS_API cs_status cs_config_merge(cs_config *config, const cs_config *other, cs_error **error);

/**
 * Returns a config as one flat JSON object with sorted keys.
 * @param config The config.
 * @param[out] error Nullable.
 * @return The text (free it with cs_string_free), or NULL: HANDLE, BUSY, NO_MEMORY.
 * @note One thread at a time may use `config`.
 * @since 0.1
 */
CS_API char *cs_config_to_json(const cs_config *config, cs_error **error);

/**
 * Lists the keys of a topic as JSON. This is the reference of all keys, and the bindings take their
 * defaults from it. The result is an array with an object for each key:
 *
 * - "key", "type", "default", "help": the key, what it takes, and what it does
 * - "range" or "values": the values that are allowed
 * - "unit": the unit of the value
 * - "source": where the default comes from, such as a section of a paper
 * - "may_change": true for a key that cs_trainer_resume may change; absent for all others
 *
 * Topics:
 *
 * - "model": cs_model_load
 * - "recipe": cs_model_create
 * - "vocabulary": cs_vocabulary_train
 * - "data": cs_dataset_open
 * - "mining": cs_mine
 * - "adapt": cs_adapt
 * - "train": cs_trainer_new, with the keys of all methods
 * - the name of a method, such as "clsr": the keys that a trainer with this method reads
 * - the name of a task, such as "sts": cs_evaluate
 *
 * @param topic Nullable. One of these topics; NULL for an object that holds every topic.
 * @param[out] error Nullable.
 * @return The text (free it with cs_string_free), or NULL: ARGUMENT naming the topics, or
 *   NO_MEMORY.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API char *cs_config_describe(const char *topic, cs_error **error);

/**
 * Frees a config.
 * @param config Nullable.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API void cs_config_free(cs_config *config);

/* ---- Model ----------------------------------------------------------------------------------- */
/*
 * Models: load, create, save and describe them. A model is a sentence encoder or a reranker. A
 * sentence encoder has a tokenizer, an encoder (BERT, RoBERTa, MPNet, ...), a pooling, and what
 * follows the pooling (dense layers, normalisation). It embeds texts (cs_encode). A reranker has a
 * tokenizer, an encoder and a classification head. It scores pairs of texts (cs_rerank). A call
 * with the wrong kind of model returns CS_ERROR_ARGUMENT, and the message names the right call.
 */

/**
 * Kinds of models.
 * @since 0.1
 */
enum {
  CS_KIND_ENCODER = 1, /**< a sentence encoder: for cs_encode */
  CS_KIND_RERANKER = 2 /**< a reranker (cross-encoder): for cs_rerank */
};

/**
 * Loads a model from a folder of sentence-transformers (old and new layout) or of Hugging Face
 * (config.json and model.safetensors, which may be sharded). cs_model_kind tells what was loaded.
 *
 *     cs_config *config = cs_config_parse("{\"device\": \"cuda\", \"precision\": \"bfloat16\"}",
 *                                         &error);
 *     cs_model *model = cs_model_load("bert-base", config, &error);
 *
 * "kind" chooses what the folder is loaded as:
 *
 * - "auto", the default: the folder decides. It is a reranker if sentence-transformers'
 *   CrossEncoder saved it, or if it has no modules.json and config.json names a class
 *   ...ForSequenceClassification. Every other folder is a sentence encoder, and so is every folder
 *   if "pooling" is set.
 * - "encoder": a sentence encoder.
 * - "reranker": a reranker. A folder without a classification head is MISMATCH.
 *
 * A sentence encoder whose folder states no pooling needs the key "pooling": the library does not
 * guess one. With "embeds" = false it is loaded without a pooling, for cs_tokenize and
 * cs_model_info.
 *
 * A reranker takes its labels from id2label in config.json. The activation of its scores is the one
 * that sentence-transformers stored, or else sigmoid for one label and identity for several. A
 * reranker with "pooling" or "adapter" is ARGUMENT.
 *
 * "precision" chooses the type of numbers that the model computes with:
 *
 * - "float32", the default: the weights as they are.
 * - "bfloat16": half the memory, and much faster on a CPU with AVX512_BF16. Embeddings agree with
 *   those of float32 to about two digits.
 * - "int8": for cs_encode and cs_rerank on the CPU, with a quarter of the memory and 2 to 3.5 times
 *   the speed of float32. Loading rounds weights and word embeddings row by row and frees the
 *   originals. Encoding rounds hidden states token by token. For all-MiniLM-L6-v2 the cosine with
 *   float32's embeddings is 0.998 or more on average, and the rank correlation on STS-B falls from
 *   82.03 to 81.92. int8 runs on every processor; those with VNNI are fastest. Training such a
 *   model, placing it on a GPU and mapping it into memory are ARGUMENT. Saving it is STATE.
 *
 * "devices" replaces "device" and names several devices, such as ["cuda:0", "cuda:1"]. Each device
 * holds a copy of the weights. Each batch of a cs_encode goes to a free device. The results are in
 * the caller's order and the same as on one device. The first error of any device ends the call,
 * and so does a cs_cancel. A list that mixes CPUs and GPUs is ARGUMENT. Training and evaluation use
 * the first device.
 *
 * "allow_pickle" applies to a folder whose only weights are pickled, in pytorch_model.bin or in the
 * shards of pytorch_model.bin.index.json:
 *
 * - false, the default: UNSUPPORTED. The message contains a line of Python that converts the file.
 * - true: the library reads the tensors of the state dict, in the format of torch.save since
 *   version 1.6. It runs no code from the file. A class or operation that no state dict needs is
 *   UNSUPPORTED, and the message has its name and place. A damaged file is CORRUPT. If the folder
 *   has a safetensors file, that file is read instead.
 *
 * "adapter" is the folder of a low-rank adapter, as written by peft and by training with the key
 * "METHOD.lora_rank". Loading merges the adapter into the weights. An adapter for another shape is
 * MISMATCH. So is an adapter that this library trained on another base model.
 *
 * cs_model_save and cs_trainer_save may replace a folder while it is loaded. The loaded model is
 * the old one or the new one, never a mixture. BUSY means that saves replaced the folder during
 * every attempt to read it. The same holds for the folder of an adapter, for cs_model_create
 * and for cs_trainer_resume. It does not hold for a folder whose files are changed in place, one by
 * one.
 *
 * @param path The folder.
 * @param config Nullable. Keys of "model".
 * @param[out] error Nullable.
 * @return A handle (free it with cs_model_free), or NULL: NOT_FOUND, IO, FORMAT, UNSUPPORTED,
 *   LIMIT, MISMATCH, CORRUPT, NUMERIC, DEVICE, NO_MEMORY, ARGUMENT, HANDLE, BUSY. The message names
 *   the file and the key or tensor.
 * @note Thread-safe, but one thread at a time may use `config`.
 * @since 0.1
 */
CS_API cs_model *cs_model_load(const char *path, const cs_config *config, cs_error **error);

/**
 * Creates a new model: an encoder with random weights, a static model, or a student of another
 * model.
 *
 * A new encoder is a BERT or RoBERTa of any size, with the tokenizer of a folder: your own from
 * cs_vocabulary_train, or that of an existing model. The key "seed" alone decides the weights.
 * Train the model from scratch, for instance with method "clear".
 *
 *     cs_config *recipe = cs_config_parse(
 *         "{\"tokenizer\": \"my-vocabulary\", \"layers\": 4, \"hidden_size\": 256, "
 *         "\"attention_heads\": 4, \"pooling\": \"cls\"}",
 *         &error);
 *     cs_model *model = cs_model_create(recipe, &error);
 *
 * "static.encoder" names the folder of a model that is distilled into static embeddings, as
 * model2vec does. Each token of the vocabulary goes through the encoder separately. The
 * "static.dimension" principal components of these vectors are kept, and frequent tokens get less
 * weight ("static.sif"). The embedding of a text is the mean of its tokens' vectors. Such a model
 * embeds at the speed of its tokenizer. It can be trained, saved and evaluated like any other.
 *
 * "student.encoder" names the folder of a teacher model, from which a smaller student is made.
 * "student.layers" says how many or which of the teacher's layers the student keeps.
 * "student.dimension" adds a Dense module that keeps this many principal components of the
 * teacher's embeddings of the texts in the file "student.texts". The rest is copied from the
 * teacher. Method "distill" trains the student on the teacher.
 *
 * @param config Keys of "recipe". It needs "tokenizer" and "pooling", or "static.encoder", or
 *   "student.encoder". With the last two, a key that the folder determines, such as "layers", is
 *   ARGUMENT. A student may have another "pooling" than its teacher.
 * @param[out] error Nullable.
 * @return A handle (free it with cs_model_free), or NULL: ARGUMENT, NOT_FOUND, IO, FORMAT,
 *   UNSUPPORTED, LIMIT, DEVICE, HANDLE, BUSY, NO_MEMORY.
 * @note Thread-safe, but one thread at a time may use `config`.
 * @since 0.1
 */
CS_API cs_model *cs_model_create(const cs_config *config, cs_error **error);

/**
 * Learns a vocabulary from a file of texts and writes it as a folder. cs_model_create and Hugging
 * Face's tokenizers can read the folder. The result depends on the texts and the config alone.
 * There are three kinds:
 *
 * - WordPiece (vocab.txt)
 * - byte-level BPE (vocab.json, merges.txt): Sennrich et al. (2016), section 3.2
 * - Unigram (tokenizer.json): Kudo (2018), section 3.2
 *
 * @param input A file with one text a line.
 * @param output The folder to write. An existing folder is replaced only if it is empty or contains
 *   a vocabulary.
 * @param config Nullable. Keys of "vocabulary".
 * @param cancel Nullable. It is checked in every phase, from the first line to the last file. After
 *   CANCELLED `output` is unchanged.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT, NOT_FOUND, IO, FORMAT, NO_SPACE, CANCELLED, HANDLE, NO_MEMORY, BUSY
 *   (another process saves to this folder).
 * @note Thread-safe, but one thread at a time may use `config`.
 * @since 0.1
 */
CS_API cs_status cs_vocabulary_train(const char *input, const char *output, const cs_config *config,
                                     const cs_cancel *cancel, cs_error **error);

/**
 * Saves a model as a folder that sentence-transformers, transformers and this library can load. A
 * reranker is loaded by sentence-transformers' CrossEncoder.
 *
 * Saving is atomic. At every moment, even in a crash, `path` is the complete old folder or the
 * complete new one. An existing folder is replaced only if it is empty or a model folder. Windows,
 * and file systems such as NFS, cannot exchange two folders. There `path` does not exist for a
 * moment, and loads wait for it. After a crash at that moment, the next save restores the old
 * folder. On Linux and macOS the log warns.
 *
 * README.md in the folder is the card of the model, with the header that model hubs read:
 *
 * - A model from cs_trainer_model gets the card of its training run.
 * - A model that was loaded keeps its README.md byte for byte. If it had none, or if it was loaded
 *   with another pooling, the card says that its training is not known.
 * - If a person wrote or changed the README.md of the folder that is replaced, that file is kept in
 *   the new folder as README.before.md, or README.before-2.md if that name is taken.
 *
 * @param model The model.
 * @param path The folder to write.
 * @param[out] error Nullable.
 * @return CS_OK, or HANDLE, ARGUMENT, STATE (an int8 model), IO, NO_SPACE, NO_MEMORY, BUSY (another
 *   process saves to this folder).
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_model_save(const cs_model *model, const char *path, cs_error **error);

/**
 * Tells which kind of model cs_model_load, without config keys, would load from a folder. It reads
 * no weights.
 * @param path The folder.
 * @return CS_KIND_ENCODER or CS_KIND_RERANKER. CS_KIND_ENCODER also if the folder cannot be read:
 *   loading it reports the reason. CS_ERROR_ARGUMENT if `path` is NULL, or CS_ERROR_NO_MEMORY.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API int32_t cs_model_detect(const char *path);

/**
 * Returns the kind of a model. Later versions may add kinds.
 * @param model The model.
 * @return CS_KIND_ENCODER or CS_KIND_RERANKER; CS_ERROR_HANDLE if `model` is not a live model.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API int32_t cs_model_kind(const cs_model *model);

/**
 * Returns the number of floats in one embedding with the model's own options. cs_encode_dimension
 * takes other options into account.
 * @param model A sentence encoder.
 * @return The dimension; CS_ERROR_ARGUMENT for a reranker; CS_ERROR_HANDLE if `model` is not a live
 *   model.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API int32_t cs_model_dimension(const cs_model *model);

/**
 * Returns how many scores cs_rerank gives for each pair. There is one score for each label; most
 * rerankers have one label.
 * @param model A reranker.
 * @return The number of labels; CS_ERROR_ARGUMENT for a sentence encoder; CS_ERROR_HANDLE if
 *   `model` is not a live model.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API int32_t cs_model_labels(const cs_model *model);

/**
 * Returns the maximum number of tokens of a text, or of a pair for a reranker, special tokens
 * included. Longer texts are cut.
 * @param model The model.
 * @return The number of tokens; CS_ERROR_HANDLE if `model` is not a live model.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API int32_t cs_model_max_length(const cs_model *model);

/**
 * Returns the bytes of memory that the weights of a model use, on all of its devices. Bindings tell
 * their garbage collector, which does not see this memory. Mapped files ("memory_map") count too.
 * @param model The model.
 * @return The number of bytes, or a negative cs_status: HANDLE.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API int64_t cs_model_memory(const cs_model *model);

/**
 * Describes a model as a JSON object. Some of its members:
 *
 * - "kind": "encoder" or "reranker"
 * - the shape of the model, its tokenizer, prompts and device
 * - "dimension", "pooling": for a sentence encoder
 * - "labels" (their names), "activation", "head": for a reranker
 * - "computed_by": "kernels" (the library's own, on the CPU) or "libtorch"
 * - "notes": what was defaulted, renamed or ignored when the model was loaded
 * - "fingerprint": a SHA-256, in hexadecimal, over everything that decides an embedding or a score:
 *   weights, precision, tokenizer, pooling, normalisation, prompts
 *
 * Store the fingerprint with your embeddings: models with equal fingerprints are equal. The first
 * call reads all weights to compute it, which takes about a second for a gigabyte. Later calls
 * reuse it.
 *
 * @param model The model.
 * @param[out] error Nullable.
 * @return The text (free it with cs_string_free), or NULL: HANDLE, NO_MEMORY.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API char *cs_model_info(const cs_model *model, cs_error **error);

/**
 * Makes an independent copy of a model. The two share no memory and no caches.
 * @param model The model.
 * @param[out] error Nullable.
 * @return A handle (free it with cs_model_free), or NULL: HANDLE, NO_MEMORY.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_model *cs_model_snapshot(const cs_model *model, cs_error **error);

/**
 * Frees a model. Trainers and running calls that use the model keep what they need.
 * @param model Nullable.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API void cs_model_free(cs_model *model);

/* ---- Tokenize -------------------------------------------------------------------------------- */
/*
 * From texts to token ids and back. These functions are needed only to look at tokens or to count
 * them: cs_encode, cs_rerank and training tokenize their texts themselves.
 */

/**
 * Converts a text to token ids and gives the place of each token in the text. The ids equal those
 * of Hugging Face's `tokenizers`, special tokens included, for texts of up to 1 MiB ("Strings"
 * above).
 *
 *     int32_t ids[64], begins[64], ends[64], count = 0;
 *     cs_status status =
 *         cs_tokenize(model, "unbelievable", -1, 0, ids, begins, ends, 64, &count, &error);
 *     if (status == CS_OK) printf("%d tokens\n", (int)count);
 *
 * @param model The model.
 * @param text The text in UTF-8.
 * @param length Its length in bytes, below 2^31; -1 if it is NUL-terminated.
 * @param max_length The largest number of ids; 0 for the model's own limit; -1 for no limit.
 * @param[out] ids [capacity]. Nullable with capacity 0, to count only.
 * @param[out] begins [capacity]. Nullable. The first byte of each token; -1 for special tokens.
 * @param[out] ends [capacity]. Nullable. One past the last byte of each token; -1 for special
 *   tokens.
 * @param capacity Elements of each array.
 * @param[out] count The number of ids. It is also set when the call returns BUFFER.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT (for instance, max_length leaves no room for special tokens), FORMAT
 *   (with the model's key "invalid_utf8" = "error"), BUFFER, LIMIT, HANDLE, NO_MEMORY.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_tokenize(const cs_model *model, const char *text, int64_t length,
                             int32_t max_length, int32_t *ids, int32_t *begins, int32_t *ends,
                             int64_t capacity, int32_t *count, cs_error **error);

/**
 * Converts a pair of texts to token ids, with a type for each id. If the pair is too long, the
 * longer text is cut first.
 * @param model The model.
 * @param text_a The first text in UTF-8.
 * @param length_a Its length in bytes, below 2^31; -1 if it is NUL-terminated.
 * @param text_b The second text in UTF-8.
 * @param length_b Its length, as `length_a`.
 * @param max_length The largest number of ids, as in cs_tokenize.
 * @param[out] ids [capacity]. Nullable with capacity 0, to count only.
 * @param[out] type_ids [capacity]. Nullable. The token type of each id: 1 in the second text if the
 *   model's tokenizer distinguishes the two texts, 0 otherwise.
 * @param capacity Elements of each array.
 * @param[out] count The number of ids. It is also set when the call returns BUFFER.
 * @param[out] error Nullable.
 * @return As cs_tokenize.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_tokenize_pair(const cs_model *model, const char *text_a, int64_t length_a,
                                  const char *text_b, int64_t length_b, int32_t max_length,
                                  int32_t *ids, int32_t *type_ids, int64_t capacity, int32_t *count,
                                  cs_error **error);

/**
 * Returns the text of a token id in the vocabulary.
 * @param model The model.
 * @param id A token id.
 * @param[out] error Nullable.
 * @return The text (free it with cs_string_free), "" for an id without a text; or NULL: HANDLE,
 *   NO_MEMORY.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API char *cs_token(const cs_model *model, int32_t id, cs_error **error);

/* ---- Encode ---------------------------------------------------------------------------------- */
/*
 * Embed texts with a sentence encoder. One call with many texts is faster than many calls: it packs
 * texts without padding and uses all threads.
 */

/**
 * Options of cs_encode. Start from CS_ENCODE_OPTIONS_INIT, which sets every field to "as the model
 * says". New fields are only ever appended: `struct_size` tells the library which fields the caller
 * knows. A call returns ARGUMENT if `struct_size` is not a size of this struct, or if `reserved` is
 * not 0.
 * @since 0.1
 */
typedef struct cs_encode_options {
  uint32_t struct_size;    /**< sizeof(cs_encode_options) of the caller */
  int32_t normalize;       /**< 1: unit length; 0: as pooled; -1: as the model says */
  const char *pooling;     /**< "mean", "cls", "max", "mean-sqrt", "first-last", "embed-last",
                                "last2", ...; NULL: the model's */
  const char *prompt;      /**< a text that is put before every text, "" for none; NULL: the model's
                                default prompt, if it has one */
  const char *prompt_name; /**< or the name of one of the model's prompts ("query"); NULL: none */
  int32_t truncate_dim;    /**< keep only the first dimensions (Matryoshka models); 0: as the model
                                says (its truncate_dim, or else all) */
  int32_t max_length;      /**< the most tokens of a text, up to the limit of the encoder; 0: the
                                model's own limit */
  int32_t batch_tokens;    /**< the most tokens of one internal batch; 0: the library chooses. It
                                bounds memory and changes at most the last bits */
  uint32_t reserved;       /**< 0 */
  int32_t *token_counts;   /**< out, [n_texts], nullable: the tokens of each text before it is cut;
                                a number above max_length means that the text was cut */
  const cs_cancel *cancel; /**< nullable: checked between internal batches */
} cs_encode_options;

/**
 * Initialises a cs_encode_options: `cs_encode_options options = CS_ENCODE_OPTIONS_INIT;`.
 * @since 0.1
 */
#define CS_ENCODE_OPTIONS_INIT \
  {(uint32_t)sizeof(cs_encode_options), -1, NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL}

/**
 * Embeds texts. The library sorts the texts by length and runs them in packed batches. The results
 * are in the caller's order.
 *
 *     int32_t counts[2];
 *     cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
 *     options.token_counts = counts;
 *     cs_status status = cs_encode(model, texts, NULL, 2, &options, vectors, 2 * 384, &error);
 *
 * The other texts of a call can change the last bits of an embedding, because the order of a sum
 * depends on the number of tokens. The change is at most 1e-6 in a component of a unit vector in
 * float32. A text that is longer than the maximum length is cut: `token_counts` shows it. A text
 * without a token is embedded as zeros. An empty text has no token if the tokenizer adds no special
 * tokens.
 *
 * @param model A sentence encoder.
 * @param texts [n_texts]. Texts in UTF-8, none of them NULL. Nullable if n_texts is 0.
 * @param lengths [n_texts]. Nullable. Lengths in bytes; NULL if all texts are NUL-terminated.
 * @param n_texts 0 or more.
 * @param options Nullable.
 * @param[out] embeddings [n_texts, dimension].
 * @param n_floats Elements of `embeddings`.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT (a reranker, or an invalid text; the message has its index), FORMAT
 *   (with the index and the byte; only with the model's key "invalid_utf8" = "error"), BUFFER,
 *   LIMIT, HANDLE, CANCELLED, NO_MEMORY, NUMERIC. After the last three the content of `embeddings`
 *   is undefined.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_encode(const cs_model *model, const char *const *texts, const int64_t *lengths,
                           int64_t n_texts, const cs_encode_options *options, float *embeddings,
                           int64_t n_floats, cs_error **error);

/**
 * Embeds texts that are in one buffer, as bindings pass them. Text i is bytes offsets[i] to
 * offsets[i + 1] - 1 of `data`, without a NUL.
 * @param model A sentence encoder.
 * @param data UTF-8, at most 2^31 - 1 bytes. Nullable if all texts are empty.
 * @param offsets [n_texts + 1]. Non-negative and non-decreasing. Nullable if n_texts is 0.
 * @param n_texts 0 or more.
 * @param options Nullable.
 * @param[out] embeddings [n_texts, dimension].
 * @param n_floats Elements of `embeddings`.
 * @param[out] error Nullable.
 * @return As cs_encode.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_encode_packed(const cs_model *model, const char *data, const int32_t *offsets,
                                  int64_t n_texts, const cs_encode_options *options,
                                  float *embeddings, int64_t n_floats, cs_error **error);

/**
 * Returns the number of floats in one embedding with these options. It depends on their pooling and
 * truncate_dim.
 * @param model A sentence encoder.
 * @param options Nullable.
 * @param[out] error Nullable.
 * @return The dimension, or a negative cs_status with `*error` set: ARGUMENT, HANDLE.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API int32_t cs_encode_dimension(const cs_model *model, const cs_encode_options *options,
                                   cs_error **error);

/* ---- Rerank ---------------------------------------------------------------------------------- */
/*
 * Score pairs of texts with a reranker. A reranker (cross-encoder) reads a query and a document
 * together and scores them. It is more accurate than a comparison of two embeddings, but it must
 * read every pair. Find a few dozen documents with cs_search, then order them with a reranker. A
 * reranker with several labels classifies pairs. Scores equal those of sentence-transformers'
 * CrossEncoder. Load a reranker with cs_model_load.
 */

/**
 * Options of cs_rerank. Start from CS_RERANK_OPTIONS_INIT, which sets every field to "as the model
 * says". New fields are only ever appended, as in cs_encode_options.
 * @since 0.1
 */
typedef struct cs_rerank_options {
  uint32_t struct_size;    /**< sizeof(cs_rerank_options) of the caller */
  int32_t max_length;      /**< the most tokens of a pair: at least enough for one token of each
                                text, at most the limit of the encoder; 0: the model's own limit */
  const char *activation;  /**< "identity" (the logits), "sigmoid", "softmax" over the labels of a
                                pair, "tanh", ...; NULL: the model's */
  const char *prompt;      /**< a text that is put before every query, "" for none; NULL: the
                                model's default prompt, if it has one */
  const char *prompt_name; /**< or the name of one of the model's prompts; NULL: none */
  int32_t batch_tokens;    /**< the most tokens of one internal batch; 0: the library chooses. It
                                bounds memory and changes at most the last bits */
  uint32_t reserved;       /**< 0 */
  int32_t *token_counts;   /**< out, [pairs], nullable: the tokens of each pair before it is cut; a
                                number above max_length means that the pair was cut */
  const cs_cancel *cancel; /**< nullable: checked between internal batches */
} cs_rerank_options;

/**
 * Initialises a cs_rerank_options: `cs_rerank_options options = CS_RERANK_OPTIONS_INIT;`.
 * @since 0.1
 */
#define CS_RERANK_OPTIONS_INIT \
  {(uint32_t)sizeof(cs_rerank_options), 0, NULL, NULL, NULL, 0, 0, NULL, NULL}

/**
 * Scores documents for a query. A higher score means a better match. The scores are in the order of
 * the documents. If a pair is too long, the longer of its two texts is cut first.
 *
 *     cs_model *reranker = cs_model_load("ms-marco-MiniLM-L6-v2", NULL, &error);
 *     const char *documents[2] = {"Berlin has 3.7 million inhabitants.",
 *                                 "Berlin is known for its museums."};
 *     float scores[2];
 *     if (reranker && cs_rerank(reranker, "How many people live in Berlin?", -1, documents, NULL,
 *                               2, NULL, scores, 2, &error) == CS_OK)
 *       printf("%.3f %.3f\n", scores[0], scores[1]);
 *
 * @param model A reranker.
 * @param query The query in UTF-8.
 * @param query_length Its length in bytes, below 2^31; -1 if it is NUL-terminated.
 * @param documents [n_documents]. Texts in UTF-8, none of them NULL. Nullable if n_documents is 0.
 * @param lengths [n_documents]. Nullable. Lengths in bytes; NULL if all are NUL-terminated.
 * @param n_documents 0 or more.
 * @param options Nullable.
 * @param[out] scores [n_documents, labels].
 * @param n_scores Elements of `scores`.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT (a sentence encoder, or an invalid text; the message has its index),
 *   FORMAT (with the model's key "invalid_utf8" = "error"), BUFFER, LIMIT, HANDLE, CANCELLED,
 *   NO_MEMORY, NUMERIC (with the index of the pair). After the last three the content of `scores`
 *   is undefined.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_rerank(const cs_model *model, const char *query, int64_t query_length,
                           const char *const *documents, const int64_t *lengths,
                           int64_t n_documents, const cs_rerank_options *options, float *scores,
                           int64_t n_scores, cs_error **error);

/**
 * Scores pairs of texts that are in one buffer, as in cs_encode_packed. Pair i consists of text 2 i
 * (the query) and text 2 i + 1 (the document).
 * @param model A reranker.
 * @param data UTF-8, at most 2^31 - 1 bytes. Nullable if all texts are empty.
 * @param offsets [2 * n_pairs + 1]. Non-negative and non-decreasing. Nullable if n_pairs is 0.
 * @param n_pairs 0 or more.
 * @param options Nullable.
 * @param[out] scores [n_pairs, labels].
 * @param n_scores Elements of `scores`.
 * @param[out] error Nullable.
 * @return As cs_rerank.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_rerank_packed(const cs_model *model, const char *data, const int32_t *offsets,
                                  int64_t n_pairs, const cs_rerank_options *options, float *scores,
                                  int64_t n_scores, cs_error **error);

/* ---- Similarity, search, quantisation, files of embeddings ----------------------------------- */
/*
 * Compare embeddings, search them, and store them in fewer bytes. These functions work on arrays of
 * floats and need no model.
 */

/**
 * How two embeddings are compared. A larger value always means more similar, so the two distances
 * are negated.
 * @since 0.1
 */
enum {
  CS_METRIC_COSINE = 0,    /**< in [-1, 1]; 0 if a vector is zero, never NaN */
  CS_METRIC_DOT = 1,       /**< inner product */
  CS_METRIC_EUCLIDEAN = 2, /**< minus the L2 distance */
  CS_METRIC_MANHATTAN = 3  /**< minus the L1 distance */
};

/**
 * Compares each vector of `a` with each vector of `b`. The score of a[i] and b[j] is
 * scores[i * n_b + j].
 *
 *     cs_similarity(vectors, n, vectors, n, dimension, CS_METRIC_COSINE, scores, n * n, &error);
 *
 * @param a [n_a, dimension].
 * @param n_a 0 or more.
 * @param b [n_b, dimension]. It may be the same array as `a`.
 * @param n_b 0 or more.
 * @param dimension 1 to 2^24.
 * @param metric CS_METRIC_*.
 * @param[out] scores [n_a, n_b]. All scores are finite after CS_OK: a product or distance beyond
 *   the range of float is the largest float with its sign.
 * @param n_scores Elements of `scores`.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT, BUFFER, LIMIT, NO_MEMORY, NUMERIC (NaN or infinity in `a` or `b`; the
 *   message names the vector and the dimension). After the last two the content of `scores` is
 *   undefined.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_similarity(const float *a, int64_t n_a, const float *b, int64_t n_b,
                               int64_t dimension, int32_t metric, float *scores, int64_t n_scores,
                               cs_error **error);

/**
 * Finds the k nearest vectors of a corpus for each query. The search is exact. It works block by
 * block and stores no score matrix. The best vector comes first; of equal scores the lower index
 * comes first. If the corpus has fewer than k vectors, the rest of a row is index -1 and score
 * -infinity.
 *
 *     int32_t indices[10];
 *     float scores[10];
 *     cs_search(query, 1, vectors, n, dimension, CS_METRIC_COSINE, 10, indices, scores, 10, NULL,
 *               &error);
 *
 * @param queries [n_queries, dimension].
 * @param n_queries 0 or more.
 * @param corpus [n_corpus, dimension].
 * @param n_corpus 0 or more, below 2^31.
 * @param dimension 1 to 2^24.
 * @param metric CS_METRIC_*.
 * @param k 1 or more.
 * @param[out] indices [n_queries, k]. Indices of vectors of `corpus`.
 * @param[out] scores [n_queries, k].
 * @param capacity Elements of `indices`, and of `scores`.
 * @param cancel Nullable. It is checked between blocks.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT, BUFFER, LIMIT, HANDLE, CANCELLED, NO_MEMORY, NUMERIC (NaN or infinity
 *   in `queries` or `corpus`; the message names the vector and the dimension). After the last three
 *   the content of both arrays is undefined.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_search(const float *queries, int64_t n_queries, const float *corpus,
                           int64_t n_corpus, int64_t dimension, int32_t metric, int32_t k,
                           int32_t *indices, float *scores, int64_t capacity,
                           const cs_cancel *cancel, cs_error **error);

/**
 * Types that embeddings can be stored as.
 * @since 0.1
 */
enum {
  CS_PRECISION_FLOAT16 = 1, /**< IEEE half precision, 2 bytes a value, in the byte order of the
                                 machine; rounded to nearest, ties to even */
  CS_PRECISION_INT8 = 2,    /**< 1 byte a value: (x - start) / step - 128 with the start and step of
                                 its dimension; saturates outside the range */
  CS_PRECISION_UBINARY = 3  /**< 1 bit a value: 1 for a value above 0, highest bit first;
                                 (dimension + 7) / 8 bytes a row, padded with 0 */
};

/**
 * Measures the range of each dimension in a sample of embeddings, for CS_PRECISION_INT8. A few
 * hundred vectors give a usable range. Use the same calibration for a corpus and for everything
 * that you compare with it, and store it with them.
 * @param embeddings [n, dimension].
 * @param n 1 or more.
 * @param dimension 1 to 2^24.
 * @param[out] calibration [2, dimension]. Row 0 has the start (the least value), row 1 the step
 *   (1/255 of the range).
 * @param n_floats Elements of `calibration`.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT, BUFFER, LIMIT, NUMERIC (NaN or infinity; the message names its row
 *   and dimension).
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_quantize_calibrate(const float *embeddings, int64_t n, int64_t dimension,
                                       float *calibration, int64_t n_floats, cs_error **error);

/**
 * Converts embeddings to fewer bytes, as numpy and sentence-transformers do. The formats treat
 * special values as follows:
 *
 * - FLOAT16 keeps NaN. Values of 65,520 and more become infinity.
 * - INT8 saturates outside the range. (sentence-transformers wraps around.)
 * - UBINARY treats NaN as a value that is not above 0.
 *
 * @param embeddings [n, dimension].
 * @param n 0 or more.
 * @param dimension 1 to 2^24.
 * @param precision CS_PRECISION_*.
 * @param calibration [2, dimension], from cs_quantize_calibrate, for INT8. NULL for the others.
 * @param[out] output n rows; at an even address for FLOAT16.
 * @param n_bytes Bytes of `output`.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT, BUFFER, LIMIT, NUMERIC (INT8 of NaN or infinity; the content of
 *   `output` is then undefined).
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_quantize(const float *embeddings, int64_t n, int64_t dimension,
                             int32_t precision, const float *calibration, uint8_t *output,
                             int64_t n_bytes, cs_error **error);

/**
 * Saves embeddings in a .npy file, which NumPy reads: float32 in C order. An existing file is
 * replaced when the new one is complete.
 * @param path The file.
 * @param embeddings [n, dimension]. Nullable if it has no elements.
 * @param n Number of embeddings, 0 or more.
 * @param dimension Floats of an embedding, 0 or more.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT, LIMIT, IO, NO_SPACE, NO_MEMORY.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_npy_save(const char *path, const float *embeddings, int64_t n,
                             int64_t dimension, cs_error **error);

/**
 * Loads embeddings from a .npy file: a matrix of little-endian float32 in C order, as cs_npy_save,
 * `contrastive encode` and numpy.save() write it. Call it twice: with `embeddings` = NULL to learn
 * the shape, then with a buffer.
 *
 *     int64_t n = 0, dimension = 0;
 *     cs_status status = cs_npy_load("texts.npy", NULL, 0, &n, &dimension, &error);
 *
 * @param path The file.
 * @param[out] embeddings [n, dimension]. Nullable with n_floats 0, to read only the shape.
 * @param n_floats Elements of `embeddings`.
 * @param[out] n The number of embeddings. It is also set when the call returns BUFFER.
 * @param[out] dimension The floats of an embedding, likewise.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT, NOT_FOUND, IO, FORMAT, CORRUPT, LIMIT, BUFFER, NO_MEMORY.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_npy_load(const char *path, float *embeddings, int64_t n_floats, int64_t *n,
                             int64_t *dimension, cs_error **error);

/* ---- Dataset --------------------------------------------------------------------------------- */
/*
 * Examples to train on, from a file or from memory. An example is a text, a pair of texts, or a
 * pair with hard negatives. It may have a label.
 */

/**
 * Opens a file of training examples. Lines stay on the disk and are read when they are needed, so
 * the file may be larger than memory. Do not change the file while it is in use: a later read
 * returns CORRUPT if the length of the file has changed or a line is no longer an example.
 *
 * The format of the file is the value of key "data.format". Without that key, the name of the file
 * decides, and then its first line. Names of other formats (.csv, .json) are refused. The formats:
 *
 * - "text": one text a line. Chosen for .txt, or for a first line without a tab or braces.
 * - "tsv": columns separated by tabs. One column is a text, two are the texts a and b of a pair,
 *   and a third is a label. Nothing is quoted. "data.header" = true says that the first line names
 *   the columns. Chosen for .tsv, or for a first line with a tab.
 * - "jsonl": a JSON object a line, with the field "text", or with two fields such as "a" and "b",
 *   "sentence1" and "sentence2", or "query" and "answer". Chosen for .jsonl, .ndjson, or for a
 *   first line in braces.
 *
 * More keys choose what is read:
 *
 * - "data.columns": the columns or fields of the texts and the label
 * - "data.negatives": the columns or fields with hard negatives
 * - "data.where": the lines to use
 * - "data.on_error" = "skip": leave out malformed lines instead of failing
 *
 * Each format may be compressed with gzip. The library unpacks such a file once, into an unnamed
 * file in $TMPDIR, which needs enough space for it.
 *
 * @param path The file.
 * @param config Nullable. Keys of "data".
 * @param[out] error Nullable.
 * @return A handle (free it with cs_dataset_free), or NULL: NOT_FOUND, IO, FORMAT (with file and
 *   line), CORRUPT, NO_SPACE, LIMIT, ARGUMENT, HANDLE, BUSY, NO_MEMORY.
 * @note Thread-safe, but one thread at a time may use `config`.
 * @since 0.1
 */
CS_API cs_dataset *cs_dataset_open(const char *path, const cs_config *config, cs_error **error);

/**
 * Creates an empty dataset in memory. Fill it with cs_dataset_add or cs_dataset_add_texts.
 * @param[out] error Nullable.
 * @return A handle (free it with cs_dataset_free), or NULL: NO_MEMORY.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_dataset *cs_dataset_new(cs_error **error);

/**
 * Appends a copy of one example: a text or a pair of texts. All examples of a dataset must be
 * single texts, or all must be pairs.
 * @param data A dataset from cs_dataset_new.
 * @param text_a The text, or the first text of the pair, in UTF-8.
 * @param length_a Its length in bytes; -1 if it is NUL-terminated.
 * @param text_b Nullable. The second text of the pair.
 * @param length_b Its length in bytes; -1 if it is NUL-terminated.
 * @param label A score; NaN for none.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT, STATE (the dataset reads a file, or a trainer uses it), HANDLE, BUSY,
 *   NO_MEMORY.
 * @note One thread at a time may use `data`.
 * @since 0.1
 */
CS_API cs_status cs_dataset_add(cs_dataset *data, const char *text_a, int64_t length_a,
                                const char *text_b, int64_t length_b, double label,
                                cs_error **error);

/**
 * Appends a copy of one example with any number of texts: one text, a pair, or a pair with hard
 * negatives. A hard negative is a text that resembles the first text but does not belong to it.
 * Methods that do not use hard negatives ignore them.
 *
 *     const char *triplet[3] = {"how do I reset it", "hold the button for ten seconds",
 *                               "press the button to switch it on"};
 *     cs_dataset_add_texts(data, triplet, NULL, 3, NAN, &error);
 *
 * @param data A dataset from cs_dataset_new.
 * @param texts [columns]. The text, its positive, and then its negatives; none of them NULL. An
 *   empty negative is ignored.
 * @param lengths [columns]. Nullable. Lengths in bytes; NULL if all texts are NUL-terminated.
 * @param columns 1 to 64.
 * @param label A score; NaN for none.
 * @param[out] error Nullable.
 * @return As cs_dataset_add.
 * @note One thread at a time may use `data`.
 * @since 0.1
 */
CS_API cs_status cs_dataset_add_texts(cs_dataset *data, const char *const *texts,
                                      const int64_t *lengths, int32_t columns, double label,
                                      cs_error **error);

/**
 * Returns the number of examples in a dataset.
 * @param data The dataset.
 * @return The number of examples, or a negative cs_status: HANDLE, BUSY.
 * @note One thread at a time may use `data`.
 * @since 0.1
 */
CS_API int64_t cs_dataset_size(const cs_dataset *data);

/**
 * Frees a dataset. A trainer that uses the dataset keeps what it needs.
 * @param data Nullable.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API void cs_dataset_free(cs_dataset *data);

/* ---- Trainer --------------------------------------------------------------------------------- */
/*
 * Train a model. The caller owns the loop: between two steps it can look at metrics, save, evaluate
 * or stop. There are no callbacks. cs_config_describe names the methods and the papers that they
 * come from.
 */

/**
 * Starts a training run.
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
 * Evaluation during the run: the key "dev" names a file. The score on it is measured every
 * "eval_every" updates, and the best score chooses the best weights. Evaluation changes no weights.
 * Keys "evaluate.TASK.KEY" run tasks of cs_evaluate on the model as it would be saved at that
 * moment:
 *
 *     {"evaluate": {"sts": {"data": "sts-dev.tsv"}, "retrieval": {"data": "pairs.tsv"}}}
 *
 * These tasks run every "evaluate_every" updates and at the end, or together with the evaluations
 * of "dev" if "evaluate_every" is 0. Each number of a report becomes a metric with its path as its
 * name, such as "sts.spearman.all". It is also in the metrics files. With "dev_select" =
 * "sts.spearman.all" this metric chooses the best weights instead of the score of "dev". With
 * "patience" it also stops the run early.
 *
 * Several devices or machines: this config trains on each device with a thread of this process:
 *
 *     {"dist": {"mode": "threads", "devices": ["cuda:0", "cuda:1"]}}
 *
 * With "mode" = "keys" or "env", this process is one rank of a run that it shares with other
 * processes. cs_trainer_new then waits for the other ranks for at most "dist.timeout" seconds.
 * Ranks communicate over sockets; threads use 127.0.0.1. The weights are those of one process with
 * the same batches. All ranks must make the same calls in the same order, with less than
 * "dist.timeout" between two calls. If a rank fails, the run ends on every rank with DISTRIBUTED
 * and a message that names the rank that failed. You can then save the run and resume it with any
 * number of ranks. Metric "rank" is the number of this rank, "ranks" how many ranks there are.
 *
 * Rerankers: method "reranker" trains a reranker. It starts from a reranker, or from a sentence
 * encoder, which gets a new head. The key "dev" then names a file with scored pairs, or with
 * queries and their right and wrong documents, as cs_mine writes them. Every other method trains
 * sentence encoders, and a reranker is ARGUMENT.
 *
 *     cs_config *config = cs_config_parse(
 *         "{\"method\": \"reranker\", \"reranker.loss\": \"listwise\"}", &error);
 *     cs_trainer *trainer = cs_trainer_new(reranker, data, config, &error);
 *
 * @param model The model that training starts from. It does not change: cs_trainer_model returns
 *   the result.
 * @param data Nullable. The examples; with NULL only cs_train_batch works. The dataset cannot grow
 *   while the trainer exists.
 * @param config Keys of "train".
 * @param[out] error Nullable.
 * @return A handle (free it with cs_trainer_free), or NULL: ARGUMENT (with key, value and range),
 *   MISMATCH, UNSUPPORTED, FORMAT, NOT_FOUND, IO, NO_SPACE, NO_MEMORY, DEVICE, DISTRIBUTED, HANDLE,
 *   BUSY.
 * @note One thread at a time may use `data` and `config`.
 * @since 0.1
 */
CS_API cs_trainer *cs_trainer_new(cs_model *model, const cs_dataset *data, const cs_config *config,
                                  cs_error **error);

/**
 * Checks a training config without loading the weights of a model. cs_trainer_new makes the same
 * checks first. What is checked depends on the arguments:
 *
 * - Always: unknown keys, values out of range, and keys that contradict each other.
 * - With `data`: missing pairs or labels, a warm-up that is longer than the run (except for CLEAR's
 *   blocks, which need a tokenizer to be counted), and configured files that are missing or have
 *   the wrong contents.
 * - With `model_path`: layers that the method or an evaluation needs and the model lacks, and texts
 *   that are longer than the model's positions.
 *
 * @param config Keys of "train". "device" and "precision", as for cs_model_load, are allowed and
 *   checked too.
 * @param data Nullable. The examples; with NULL no file is read.
 * @param model_path Nullable. The folder of the model to train. Only its config.json and
 *   modules.json are read.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT naming the key, HANDLE, BUSY; for files and the folder also NOT_FOUND,
 *   FORMAT, UNSUPPORTED, LIMIT, IO.
 * @note Thread-safe, but one thread at a time may use `config` and `data`.
 * @since 0.1
 */
CS_API cs_status cs_trainer_check(const cs_config *config, const cs_dataset *data,
                                  const char *model_path, cs_error **error);

/**
 * Makes one update of the weights on the next batch of the dataset. The first call also does the
 * preparation that the method needs once, which may take minutes (CLSR embeds all texts).
 *
 * An error can come from the evaluations that follow an update. Then metric "step" includes the
 * update, and the next call starts with these evaluations.
 *
 * @param trainer The trainer.
 * @param cancel Nullable. It is checked before an update, during preparation, and during the
 *   evaluations after an update. An update that has begun is always completed.
 * @param[out] error Nullable.
 * @return One of these statuses:
 *   - CS_OK: one update was made.
 *   - CS_DONE: the run is over, and nothing was done.
 *   - CANCELLED: the weights include the updates that metric "step" counts. You may save the run. A
 *     later call continues the run. If an evaluation was stopped, that call first repeats it.
 *   - NUMERIC: the loss or a gradient is not finite, and the weights are unchanged.
 *   - CORRUPT: the data file has changed.
 *   - STATE: there is no dataset, or an earlier update failed after it had changed some weights.
 *   - FORMAT: a text is malformed, and the model's key "invalid_utf8" is "error".
 *   - DISTRIBUTED: another rank failed.
 *   - NO_MEMORY, IO, NO_SPACE, HANDLE, BUSY.
 * @note One thread at a time may use `trainer`.
 * @since 0.1
 */
CS_API cs_status cs_train_step(cs_trainer *trainer, const cs_cancel *cancel, cs_error **error);

/**
 * Makes one update of the weights on a batch from the caller, such as from a queue, a cursor or a
 * generator. After an error, look at metric "step" before you pass the same batch again. If it has
 * grown, the batch was trained, and an evaluation after it failed.
 * @param trainer The trainer.
 * @param texts [n_examples, columns]. Texts in UTF-8, row by row, none of them NULL.
 * @param lengths [n_examples, columns]. Nullable. Lengths in bytes; NULL if all are NUL-terminated.
 * @param n_examples As many as the method needs; at least 2 for in-batch negatives.
 * @param columns 1 for texts, 2 for pairs, 3 to 64 for pairs with hard negatives. An empty negative
 *   is ignored.
 * @param labels [n_examples]. Nullable. Scores; NaN for none.
 * @param cancel Nullable. As in cs_train_step.
 * @param[out] error Nullable.
 * @return As cs_train_step, or ARGUMENT.
 * @note One thread at a time may use `trainer`.
 * @since 0.1
 */
CS_API cs_status cs_train_batch(cs_trainer *trainer, const char *const *texts,
                                const int64_t *lengths, int64_t n_examples, int32_t columns,
                                const double *labels, const cs_cancel *cancel, cs_error **error);

/**
 * Makes one update of the weights on a batch from the caller whose texts are in one buffer, as in
 * cs_encode_packed. The text in `row` and `column` is text row * columns + column.
 * @param trainer The trainer.
 * @param data UTF-8. Nullable if all texts are empty.
 * @param offsets [n_examples * columns + 1]. Non-negative and non-decreasing.
 * @param n_examples As in cs_train_batch.
 * @param columns As in cs_train_batch.
 * @param labels [n_examples]. Nullable. Scores; NaN for none.
 * @param cancel Nullable. As in cs_train_step.
 * @param[out] error Nullable.
 * @return As cs_train_batch.
 * @note One thread at a time may use `trainer`.
 * @since 0.1
 */
CS_API cs_status cs_train_batch_packed(cs_trainer *trainer, const char *data,
                                       const int32_t *offsets, int64_t n_examples, int32_t columns,
                                       const double *labels, const cs_cancel *cancel,
                                       cs_error **error);

/**
 * Evaluates the model of a trainer now. It scores the file of key "dev" and runs the tasks of the
 * keys "evaluate.*". If these weights are the best so far, the trainer remembers them.
 * @param trainer The trainer.
 * @param cancel Nullable. It is checked between batches of texts.
 * @param[out] error Nullable.
 * @return CS_OK, or CANCELLED (no result was kept), STATE (the config has neither kind of key, or
 *   an earlier update failed after it had changed some weights), DISTRIBUTED (another rank failed),
 *   HANDLE, BUSY, NO_MEMORY, and the errors of cs_evaluate.
 * @note One thread at a time may use `trainer`.
 * @since 0.1
 */
CS_API cs_status cs_trainer_evaluate(cs_trainer *trainer, const cs_cancel *cancel,
                                     cs_error **error);

/**
 * Returns the latest value of one metric. The metrics:
 *
 * - "loss" and its parts "loss.TERM", "lr", "grad_norm"
 * - "step", "total_steps", "epoch", "steps_per_epoch", "skipped"
 * - "truncated": texts that were cut; not counted for CLSR, which embeds texts once
 * - "samples_per_second", "tokens_per_second"
 * - "dev": the score of the file of key "dev"
 * - "best_dev", "best_step": the best score of key "dev_select", and its step
 * - results of tasks under their path, such as "sts.spearman.all"
 * - with "amp" = "float16": "loss_scale", "loss_scale_retries"
 * - "failed_saves": automatic checkpoints that could not be written
 * - "failed_lines": records that could not be written to "metrics_file" or "metrics_csv"
 *
 * Failed saves and failed lines do not end the run.
 *
 * Every "watch_every" updates the trainer also measures the vectors of one batch:
 *
 * - "view.alignment": measured on the last layer if a view has several layers, as in SG-OPT
 * - "view.uniformity", "view.mean_cosine", "view.effective_rank", "view.zero_vectors"
 * - "collapsed": 1 once the vectors have become very similar
 *
 * Sources: alignment and uniformity are those of Wang and Isola (2020), section 4.1. The effective
 * rank is that of Roy and Vetterli (2007).
 *
 * @param trainer The trainer.
 * @param name The name of the metric.
 * @return The value; NaN if the metric is unknown or not measured yet, or if the trainer cannot be
 *   used now.
 * @note One thread at a time may use `trainer`.
 * @since 0.1
 */
CS_API double cs_trainer_metric(const cs_trainer *trainer, const char *name);

/**
 * Returns all metrics as a JSON object. Metrics without a value yet are null.
 * @param trainer The trainer.
 * @param[out] error Nullable.
 * @return The text (free it with cs_string_free), or NULL: HANDLE, BUSY, NO_MEMORY.
 * @note One thread at a time may use `trainer`.
 * @since 0.1
 */
CS_API char *cs_trainer_metrics(const cs_trainer *trainer, cs_error **error);

/**
 * Returns the config of a trainer with every default filled in, as JSON.
 * @param trainer The trainer.
 * @param[out] error Nullable.
 * @return The text (free it with cs_string_free), or NULL: HANDLE, BUSY, NO_MEMORY.
 * @note One thread at a time may use `trainer`.
 * @since 0.1
 */
CS_API char *cs_trainer_config(const cs_trainer *trainer, cs_error **error);

/**
 * Returns the trained model: a reranker with method "reranker", a sentence encoder with any other
 * method. The model is independent of the trainer.
 * @param trainer The trainer.
 * @param best 0 for the current weights; 1 for the best weights on the dev set, or the current
 *   weights if nothing was measured.
 * @param[out] error Nullable.
 * @return A handle (free it with cs_model_free), or NULL: ARGUMENT, STATE (an earlier update failed
 *   after it had changed some weights), HANDLE, BUSY, NO_MEMORY.
 * @note One thread at a time may use `trainer`.
 * @since 0.1
 */
CS_API cs_model *cs_trainer_model(const cs_trainer *trainer, int32_t best, cs_error **error);

/**
 * Saves the current model and the state that cs_trainer_resume needs. Saving is atomic, as in
 * cs_model_save.
 *
 * The card (README.md) has the method, the data, the config, results that were measured with these
 * weights, limits, how to load the model, and the paper to cite. It names files without their
 * folders. It does not contain the time or the name of the machine. These keys provide what the run
 * cannot know: "card.title", "card.description", "card.license", "card.language", "card.datasets",
 * "card.base_model".
 *
 * @param trainer The trainer.
 * @param path The folder to write.
 * @param[out] error Nullable.
 * @return CS_OK, or IO, NO_SPACE, ARGUMENT, HANDLE, BUSY, NO_MEMORY, STATE (an earlier update
 *   failed after it had changed some weights).
 * @note One thread at a time may use `trainer`.
 * @since 0.1
 */
CS_API cs_status cs_trainer_save(const cs_trainer *trainer, const char *path, cs_error **error);

/**
 * Saves the best model on the dev set, or the current one if nothing was measured. It saves no
 * state of the run. Everything else is as in cs_trainer_save.
 * @param trainer The trainer.
 * @param path The folder to write.
 * @param[out] error Nullable.
 * @return As cs_trainer_save.
 * @note One thread at a time may use `trainer`.
 * @since 0.1
 */
CS_API cs_status cs_trainer_save_best(const cs_trainer *trainer, const char *path,
                                      cs_error **error);

/**
 * Resumes a run that cs_trainer_save wrote. On the CPU, with the same build and number of threads,
 * the result is bit for bit that of a run that was never interrupted. On a GPU the last bits of
 * sums differ from run to run.
 * @param path The folder that was saved. In a folder of automatic checkpoints the newest is used.
 * @param model The model that the run started from. For a run that trains a reranker, this is the
 *   reranker or sentence encoder that cs_trainer_new was given.
 * @param data Nullable. The dataset that the run started with.
 * @param overrides Nullable. Keys that do not change the updates that were made so far: how long
 *   the run is, how it is evaluated, when it stops early, and what it writes. cs_config_describe
 *   marks them with "may_change". In a run with stages, such a key applies to all stages.
 *   "stage2.max_steps" applies to stage 2 only, which must not be over. "stage2.dataset" and
 *   "task2.dataset" may name a new location of the same data.
 * @param[out] error Nullable.
 * @return A handle (free it with cs_trainer_free), or NULL: MISMATCH naming the field that differs,
 *   CORRUPT, NOT_FOUND (there is no state in the folder), and the errors of cs_trainer_new.
 * @note One thread at a time may use `data` and `overrides`.
 * @since 0.1
 */
CS_API cs_trainer *cs_trainer_resume(const char *path, cs_model *model, const cs_dataset *data,
                                     const cs_config *overrides, cs_error **error);

/**
 * Frees a trainer.
 * @param trainer Nullable.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API void cs_trainer_free(cs_trainer *trainer);

/* ---- Evaluate -------------------------------------------------------------------------------- */
/*
 * Measure how good a model is, with the tasks that the literature uses.
 */

/**
 * Measures a model with one task and returns a report as JSON.
 *
 *     cs_config *config = cs_config_parse("{\"data\": \"sts-benchmark/test.tsv\"}", &error);
 *     char *report = cs_evaluate(model, "sts", config, NULL, &error);
 *
 * The keys of the config name the files. Every figure of the report is a number, or null if it is
 * not defined; nested objects group figures. For "sts", the correlation with human scores, the
 * report is {"spearman": {"all", "mean", "wmean"}, "pearson": {...}, "subsets": {...}}.
 *
 * `contrastive eval --help` lists the tasks, and so does the error for an unknown one.
 * cs_config_describe lists the keys of a task and says what data it reads. cs_evaluate_outline
 * returns an outline of the report. core/eval/README.md in the sources describes every task, its
 * data, its report and the papers behind it.
 *
 * Most tasks measure embeddings, and for them a reranker is ARGUMENT. The error names the tasks
 * that measure rerankers. A task that trains, such as "glue", may take days.
 *
 * @param model The model.
 * @param task The name of a task.
 * @param config The keys of this task.
 * @param cancel Nullable. It is checked between batches.
 * @param[out] error Nullable.
 * @return The report (free it with cs_string_free), or NULL: ARGUMENT (an unknown task, with the
 *   nearest name; or a task that does not measure this kind of model), NOT_FOUND, IO, FORMAT (with
 *   file and line), CANCELLED, HANDLE, BUSY (the config), NO_MEMORY, NUMERIC.
 * @note Thread-safe, but one thread at a time may use `config`.
 * @since 0.1
 */
CS_API char *cs_evaluate(const cs_model *model, const char *task, const cs_config *config,
                         const cs_cancel *cancel, cs_error **error);

/**
 * Returns the outline of a report of cs_evaluate without a model: which results it will have. It
 * reads the data and checks that all files exist, but computes nothing.
 * @param task The name of a task, as in cs_evaluate.
 * @param config The keys of this task.
 * @param[out] error Nullable.
 * @return A report as JSON (free it with cs_string_free), or NULL: as cs_evaluate. A result that
 *   depends on the model is null or any number. A list whose length depends on the model is empty.
 * @note Thread-safe, but one thread at a time may use `config`.
 * @since 0.1
 */
CS_API char *cs_evaluate_outline(const char *task, const cs_config *config, cs_error **error);

/* ---- Mine ------------------------------------------------------------------------------------ */
/*
 * Find hard negatives for training.
 */

/**
 * Mines hard negatives. For each pair (anchor, positive) it finds texts that resemble the anchor
 * but do not answer it, and writes them as a file to train on.
 *
 *     cs_dataset *pairs = cs_dataset_open("pairs.tsv", NULL, &error);
 *     cs_dataset *corpus = cs_dataset_open("documents.txt", NULL, &error);
 *     char *report =
 *         cs_mine(model, NULL, pairs, corpus, "mined.jsonl", NULL, NULL, &error);
 *
 * The search is exact. Filters, ranges of ranks, sampling and the formats of the output are those
 * of sentence-transformers' mine_hard_negatives. A text that equals a positive or the anchor, apart
 * from case and white space, is not a negative. Empty texts are left out, and the log has a warning
 * with their number.
 *
 * A call needs this much memory in addition to the model: 500 MB, 400 bytes for each distinct text,
 * and 8 bytes for each negative of each pair.
 *
 * While the call runs, vectors are stored in the folder OUTPUT.vectors. If the call is cancelled or
 * its process is killed, they stay there, and the same call continues with them. With the key
 * "cache" they are stored in the folder that it names, which is kept. At CS_LOG_INFO the log
 * reports the progress at most once a second: "mining: 4096 of 100000 documents embedded".
 *
 * The report is a JSON object:
 *
 * - "rows", "missing_rows": lines of the output, and lines missing for lack of negatives
 * - "pairs", "queries", "documents": how many there are
 * - "negatives", "queries_without_negatives", "queries_with_fewer", "range_max", "candidates"
 * - "removed": how many candidates each filter removed
 * - "input": what was left out or found twice
 * - "embedded": how many texts were embedded
 * - "scores": of the positives, the negatives, and their difference, each with "count", "mean",
 *   "median", "std", "min", "q25", "q50", "q75", "max"
 * - "sample": some queries with their negatives, to look at
 *
 * @param model A sentence encoder. It embeds anchors and texts.
 * @param guide Nullable. A second model. It scores the candidates that `model` found, and these
 *   scores decide. A sentence encoder compares embeddings. A reranker, which must have one label,
 *   reads each candidate and each positive together with the anchor. That takes far longer. Keys
 *   "num_negatives" and "range_max" determine how many candidates there are. A resumed call runs
 *   the reranker again.
 * @param pairs A dataset of pairs.
 * @param corpus Nullable. A dataset of texts. The positives are always candidates too; with NULL
 *   there are no others.
 * @param output The file to write. Its name ends in .jsonl, .ndjson or .tsv. It is replaced only
 *   when mining has finished.
 * @param config Nullable. Keys of "mining".
 * @param cancel Nullable. It is checked between batches of texts and during the search.
 * @param[out] error Nullable.
 * @return The report (free it with cs_string_free), or NULL:
 *   - ARGUMENT: the message names the key, or the count of each filter if no negative is left.
 *   - BUSY: a dataset is in use.
 *   - FORMAT: a text has a tab and the output is .tsv, or a text is malformed and the model's key
 *     "invalid_utf8" is "error".
 *   - CORRUPT: the file of a dataset has changed.
 *   - NUMERIC: a text has no finite vector.
 *   - HANDLE, CANCELLED, IO, NO_SPACE, NO_MEMORY.
 * @note Thread-safe, but one thread at a time may use `pairs`, `corpus` and `config`.
 * @since 0.1
 */
CS_API char *cs_mine(const cs_model *model, const cs_model *guide, const cs_dataset *pairs,
                     const cs_dataset *corpus, const char *output, const cs_config *config,
                     const cs_cancel *cancel, cs_error **error);

/* ---- Adapt ----------------------------------------------------------------------------------- */
/*
 * Adapt a model to your own data in one call: mine, train and test.
 */

/**
 * Adapts a model to pairs of a query and the document that answers it. The result is written only
 * if it is better than the original.
 *
 *     cs_model *model = cs_model_load("all-MiniLM-L6-v2", NULL, &error);
 *     cs_dataset *pairs = cs_dataset_open("clicks.tsv", NULL, &error);
 *     cs_dataset *corpus = cs_dataset_open("documents.txt", NULL, &error);
 *     char *report = cs_adapt(model, pairs, corpus, "adapted", NULL, NULL, &error);
 *
 * The call makes these steps:
 *
 * 1. It drops repeated pairs and splits the others by "seed" into three parts: train, dev and test.
 *    Pairs that share a text stay together. Training pairs that nearly equal a dev or test pair are
 *    removed. They are found as in Bayardo et al. (2007).
 * 2. The original model searches the corpus for the answers of the test queries.
 * 3. It mines hard negatives for the training pairs (cs_mine).
 * 4. It trains the model until the dev part no longer improves. The method is "mnrl" unless the
 *    config sets "method".
 * 5. The trained model searches for the answers of the same test queries. A paired bootstrap
 *    (Koehn, 2004) computes bounds of the gain.
 * 6. If "metric" has risen by at least "min_gain", it writes the model to `output`. Otherwise it
 *    writes nothing.
 *
 * While the call runs, its intermediate results are in the folder OUTPUT.adapting. If the call is
 * cancelled or its process is killed, they stay there. The same call then continues and repeats no
 * step that is done. A call with other inputs is MISMATCH. The folder is removed at the end. At
 * CS_LOG_INFO the log reports the steps, such as "mining: 4096 of 100000 documents embedded" and
 * "adapt: 10 of 200 updates made".
 *
 * The report is a JSON object:
 *
 * - "shipped": whether the model was written; "reason": why, as a sentence
 * - "output", "metric", "settings": what was requested
 * - "figures": for each metric "before", "after", "gain", "low", "high", "significant"
 * - "data": what was read, left out and held out
 * - "mining": the report of cs_mine, or null
 * - "training": "rows", "with_negatives", "steps", "best_step", "start_dev", "best_dev", "course",
 *   "config"
 * - "examples": queries that got "better" and "worse"
 * - "warnings": "count", "what"
 *
 * @param model A sentence encoder, from which training starts. It does not change.
 * @param pairs A dataset of pairs of a query and a document.
 * @param corpus Nullable. A dataset of more texts to search. The documents of the pairs are always
 *   searched.
 * @param output The folder for the model. An existing folder with a model is replaced at the end,
 *   atomically.
 * @param config Nullable. Keys of "adapt". They include the keys of a training run, except those
 *   that this call decides.
 * @param cancel Nullable. It is checked throughout the call.
 * @param[out] error Nullable.
 * @return The report (free it with cs_string_free), or NULL:
 *   - ARGUMENT: the message names the key, or the number of pairs that are needed.
 *   - MISMATCH: another adaptation with this output was interrupted.
 *   - BUSY: a dataset is in use, or another process has the same output.
 *   - HANDLE, CANCELLED, and the errors of cs_mine and cs_train_step.
 * @note Thread-safe, but one thread at a time may use `pairs`, `corpus` and `config`.
 * @since 0.1
 */
CS_API char *cs_adapt(const cs_model *model, const cs_dataset *pairs, const cs_dataset *corpus,
                      const char *output, const cs_config *config, const cs_cancel *cancel,
                      cs_error **error);

/* ---- Cancel ---------------------------------------------------------------------------------- */
/*
 * Stop long calls from another thread, and hear their progress.
 */

/**
 * Creates a flag that stops long calls. Pass it to the calls, and trigger it from any thread.
 * @param[out] error Nullable.
 * @return A handle (free it with cs_cancel_free), or NULL: NO_MEMORY.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_cancel *cs_cancel_new(cs_error **error);

/**
 * Triggers a flag permanently. Running calls that hold it return CANCELLED soon. Later calls with
 * it return CANCELLED immediately.
 * @param cancel Nullable.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API void cs_cancel_trigger(cs_cancel *cancel);

/**
 * The type of a progress function. It runs on the thread of the call whose progress it hears, ten
 * times a second at most and at the end of each phase, and never on two threads at once for one
 * flag. It may trigger the flag: then the call returns CANCELLED. It must return normally: it must
 * not throw an exception. It must not call the library, except cs_cancel_trigger: any other call
 * returns CS_ERROR_BUSY.
 * @param what What is counted, in English: "texts encoded". Valid during the call.
 * @param done How many are done.
 * @param total How many there are; 0 if that is not known.
 * @param user The pointer that was given to cs_cancel_set_progress.
 * @since 0.1
 */
typedef void (*cs_progress_function)(const char *what, int64_t done, int64_t total, void *user);

/**
 * Sets the progress function of a flag. Calls that hold the flag report through it: cs_encode,
 * cs_rerank, cs_evaluate, cs_mine, cs_adapt, cs_vocabulary_train and the evaluations of trainers. A
 * call with several phases reports each with its own counts. When this call returns, no call of the
 * previous function is running.
 *
 *     static void show(const char *what, int64_t done, int64_t total, void *user) {
 *       (void)user;
 *       printf("%lld of %lld %s\n", (long long)done, (long long)total, what);
 *     }
 *
 *     cs_cancel *cancel = cs_cancel_new(&error);
 *     cs_cancel_set_progress(cancel, show, NULL, &error);
 *
 * @param cancel The flag.
 * @param function Nullable. NULL removes the function.
 * @param user Nullable. A pointer that is passed to the function.
 * @param[out] error Nullable.
 * @return CS_OK, or HANDLE, BUSY (the call came from a log sink or a progress function).
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_cancel_set_progress(cs_cancel *cancel, cs_progress_function function,
                                        void *user, cs_error **error);

/**
 * Frees a cancel flag. Running calls that hold it keep what they need.
 * @param cancel Nullable.
 * @note Thread-safe.
 * @since 0.1
 */
CS_API void cs_cancel_free(cs_cancel *cancel);

/* ---- Log ------------------------------------------------------------------------------------- */
/*
 * Receive the messages of the library. Without a log sink the library prints nothing.
 */

/**
 * Levels of messages.
 * @since 0.1
 */
enum {
  CS_LOG_DEBUG = 0,  /**< for debugging the library */
  CS_LOG_INFO = 1,   /**< what was done */
  CS_LOG_WARNING = 2 /**< what was not done as requested, or may be a mistake */
};

/**
 * The type of a log sink, a function that receives one message. It may be called from any thread,
 * but never by two threads at once. It must return normally: it must not throw an exception. It
 * must not call the library: such a call returns CS_ERROR_BUSY.
 * @param level CS_LOG_*.
 * @param message UTF-8 without a newline, valid during the call.
 * @param user The pointer that was given to cs_set_log_sink.
 * @since 0.1
 */
typedef void (*cs_log_function)(int32_t level, const char *message, void *user);

/**
 * Sets the log sink of the process. When the call returns, no call of the previous sink is running.
 *
 *     static void print(int32_t level, const char *message, void *user) {
 *       (void)level;
 *       fprintf((FILE *)user, "%s\n", message);
 *     }
 *
 *     cs_set_log_sink(print, CS_LOG_INFO, stderr, NULL);
 *
 * @param sink Nullable. NULL turns logging off.
 * @param lowest CS_LOG_*. Messages below this level are not passed to the sink.
 * @param user Nullable. A pointer that is passed to the sink.
 * @param[out] error Nullable.
 * @return CS_OK, or ARGUMENT, BUSY (the call came from a sink).
 * @note Thread-safe.
 * @since 0.1
 */
CS_API cs_status cs_set_log_sink(cs_log_function sink, int32_t lowest, void *user,
                                 cs_error **error);

#ifdef __cplusplus
}
#endif

#endif /* CONTRASTIVE_CONTRASTIVE_H */
