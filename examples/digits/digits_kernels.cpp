// The kernels of the digits example. Matrices are row-major floats. Every kernel writes each element of its output from
// exactly one block and adds in a fixed order, so the result does not depend on how many blocks run or when.
#include <math.h>

#include "forebay/kernel.h"

namespace {

struct Range {
  uint32_t begin;
  uint32_t end;
};

// The part of `count` items that belongs to the block which asks.
__aicore__ inline Range MyShare(uint32_t count) {
  const auto block = static_cast<uint64_t>(AscendC::GetBlockIdx());
  const auto blocks = static_cast<uint64_t>(AscendC::GetBlockNum());
  return {static_cast<uint32_t>(count * block / blocks), static_cast<uint32_t>(count * (block + 1) / blocks)};
}

__aicore__ inline __gm__ float* Floats(GM_ADDR address) { return reinterpret_cast<__gm__ float*>(address); }
__aicore__ inline __gm__ uint32_t* Words(GM_ADDR address) { return reinterpret_cast<__gm__ uint32_t*>(address); }

// A matrix or its transpose: element (row, column) lies at data[row * row_step + column * column_step].
struct View {
  __gm__ float* data;
  uint32_t row_step;
  uint32_t column_step;
};

// c = a * b, where c has rows x columns elements and `inner` products are added for each. Blocks share the rows.
__aicore__ inline void Multiply(View a, View b, __gm__ float* c, uint32_t rows, uint32_t columns, uint32_t inner) {
  const Range mine = MyShare(rows);
  for (uint32_t row = mine.begin; row < mine.end; ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      float sum = 0.0F;
      for (uint32_t i = 0; i < inner; ++i) {
        sum += a.data[row * a.row_step + i * a.column_step] * b.data[i * b.row_step + column * b.column_step];
      }
      c[row * columns + column] = sum;
    }
  }
}

}  // namespace

// c = a * b
extern "C" __global__ __aicore__ void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t rows, uint32_t columns,
                                             uint32_t inner) {
  Multiply({Floats(a), inner, 1}, {Floats(b), columns, 1}, Floats(c), rows, columns, inner);
}

// c = transpose(a) * b, where a is stored as inner x rows
extern "C" __global__ __aicore__ void matmul_transposed_left(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t rows,
                                                             uint32_t columns, uint32_t inner) {
  Multiply({Floats(a), 1, rows}, {Floats(b), columns, 1}, Floats(c), rows, columns, inner);
}

// c = a * transpose(b), where b is stored as columns x inner
extern "C" __global__ __aicore__ void matmul_transposed_right(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t rows,
                                                              uint32_t columns, uint32_t inner) {
  Multiply({Floats(a), inner, 1}, {Floats(b), 1, inner}, Floats(c), rows, columns, inner);
}

// Adds the bias to every row of x, and cuts negative values off if `relu` is not 0.
extern "C" __global__ __aicore__ void add_bias(GM_ADDR x, GM_ADDR bias, uint32_t rows, uint32_t columns,
                                               uint32_t relu) {
  const Range mine = MyShare(rows);
  for (uint32_t row = mine.begin; row < mine.end; ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      __gm__ float& value = Floats(x)[row * columns + column];
      value += Floats(bias)[column];
      if (relu != 0 && value < 0.0F) value = 0.0F;
    }
  }
}

// For each row of logits: the cross entropy with the label, the class with the largest logit, and the gradient of the
// mean loss over all rows with respect to the logits.
extern "C" __global__ __aicore__ void softmax_cross_entropy(GM_ADDR logits, GM_ADDR labels, GM_ADDR loss,
                                                            GM_ADDR predicted, GM_ADDR gradient, uint32_t rows,
                                                            uint32_t classes) {
  const Range mine = MyShare(rows);
  for (uint32_t row = mine.begin; row < mine.end; ++row) {
    const __gm__ float* x = Floats(logits) + row * classes;
    __gm__ float* dx = Floats(gradient) + row * classes;
    const uint32_t label = Words(labels)[row];
    uint32_t best = 0;
    for (uint32_t i = 1; i < classes; ++i) {
      if (x[i] > x[best]) best = i;
    }
    float sum = 0.0F;
    for (uint32_t i = 0; i < classes; ++i) sum += expf(x[i] - x[best]);  // at most 1 each: cannot overflow
    for (uint32_t i = 0; i < classes; ++i) {
      const float probability = expf(x[i] - x[best]) / sum;
      dx[i] = (probability - (i == label ? 1.0F : 0.0F)) / static_cast<float>(rows);
    }
    Floats(loss)[row] = logf(sum) - (x[label] - x[best]);
    Words(predicted)[row] = best;
  }
}

// Clears the gradient where the ReLU was cut off.
extern "C" __global__ __aicore__ void relu_gradient(GM_ADDR gradient, GM_ADDR activation, uint32_t count) {
  const Range mine = MyShare(count);
  for (uint32_t i = mine.begin; i < mine.end; ++i) {
    if (Floats(activation)[i] <= 0.0F) Floats(gradient)[i] = 0.0F;
  }
}

// The gradient of a bias is the sum over the rows. Blocks share the columns, so no two add to the same sum.
extern "C" __global__ __aicore__ void bias_gradient(GM_ADDR gradient, GM_ADDR bias, uint32_t rows, uint32_t columns) {
  const Range mine = MyShare(columns);
  for (uint32_t column = mine.begin; column < mine.end; ++column) {
    float sum = 0.0F;
    for (uint32_t row = 0; row < rows; ++row) sum += Floats(gradient)[row * columns + column];
    Floats(bias)[column] = sum;
  }
}

// Stochastic gradient descent with momentum and weight decay.
extern "C" __global__ __aicore__ void sgd_update(GM_ADDR weights, GM_ADDR velocity, GM_ADDR gradient, uint32_t count,
                                                 float rate, float momentum, float decay) {
  const Range mine = MyShare(count);
  for (uint32_t i = mine.begin; i < mine.end; ++i) {
    __gm__ float& weight = Floats(weights)[i];
    __gm__ float& speed = Floats(velocity)[i];
    speed = momentum * speed + Floats(gradient)[i] + decay * weight;
    weight -= rate * speed;
  }
}
