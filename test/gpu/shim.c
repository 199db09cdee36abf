/* Hands the calls of a compiled model on to whoever registered: the kernel check is Python and cannot export symbols.
 */
#include "runtime/abi/abi.h"

typedef struct Calls {
  void (*at)(const stretto_site *);
  void (*launch)(const stretto_kernel *, const stretto_buffer *);
  void (*matmul)(const stretto_matmul_args *);
  void (*attention)(const stretto_attention_args *);
  void (*attention_grad)(const stretto_attention_grad_args *);
  void (*zero)(const stretto_buffer *, int64_t);
  void (*copy)(const stretto_copy_args *);
  void (*library)(const stretto_library_args *);
} Calls;

static Calls calls;
void shim_register(const Calls *given) { calls = *given; }

void stretto_at(stretto_context *c, const stretto_site *site, int64_t iteration) { calls.at(site); }
void stretto_launch(stretto_context *c, const stretto_kernel *k, const stretto_buffer *b) { calls.launch(k, b); }
void stretto_matmul(stretto_context *c, const stretto_matmul_args *a) { calls.matmul(a); }
void stretto_attention(stretto_context *c, const stretto_attention_args *a) { calls.attention(a); }
void stretto_attention_grad(stretto_context *c, const stretto_attention_grad_args *a) { calls.attention_grad(a); }
void stretto_zero(stretto_context *c, const stretto_buffer *b, int64_t bytes) { calls.zero(b, bytes); }
void stretto_copy(stretto_context *c, const stretto_copy_args *a) { calls.copy(a); }
void stretto_library(stretto_context *c, const stretto_library_args *a) { calls.library(a); }

/* Nobody exchanges anything. */
void stretto_ready(stretto_context *c, int64_t buckets) {}
void stretto_await(stretto_context *c, int64_t buckets) {}
