// The library's side of differential.py: reads requests from standard input and writes answers to
// standard output, little-endian.
//
//   request:  byte kind ('j': tokenizer.json and texts, 's': a safetensors file), int64 count, then
//             per item int64 bytes and the bytes
//   answer:   int32 status (0: accepted), int64 bytes and the message; if accepted, then
//     'j'     per text: int64 n, int32 ids[n], int64 begins[n], int64 ends[n]
//     's'     int64 tensors, then per tensor, by name: int64 bytes and the text
//             "NAME\tDTYPE\tSHAPE", int64 bytes and the data
#pragma once

namespace contrastive::fuzz {

int answer_requests();

}  // namespace contrastive::fuzz
