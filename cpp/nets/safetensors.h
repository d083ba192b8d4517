// Reads files of weights, as input that cannot be trusted.
//
// A file is the length of its header (8 bytes, little-endian), the header in JSON, and the data. The header maps the name of
// each array to its type, its shape and where its data begins and ends:
//
//   {"enter.bias": {"dtype": "F32", "shape": [64], "data_offsets": [0, 256]}, "__metadata__": {"format": "pt"}}
//
// The format is described at https://github.com/huggingface/safetensors. Only files of float32 arrays are read;
// whatever else the format allows is refused, and so is every file whose arrays do not cover its data exactly.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sandtable::nets {

struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

// Throws std::invalid_argument with one line that says what is wrong.
std::map<std::string, Tensor> read_safetensors(std::span<const unsigned char> file);

}  // namespace sandtable::nets
