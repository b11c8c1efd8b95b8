/*===- Evaluate.c - Values and checks of one call -------------------------===*/

#include "Internal.h"

#include <string.h>

static int64_t sign_extend(uint64_t bits, int width) {
  if (width == 1)
    return (int64_t)(bits & 1);
  if (width == 64)
    return (int64_t)bits;
  int shift = 64 - width;
  return (int64_t)(bits << shift) >> shift;
}
/* The numbers that `width` bits stand for; they are kept as sign_extend gives
 * them. */
static int64_t as_signed(int64_t value, int width) {
  return width == 1 ? -value : value;
}
static uint64_t as_unsigned(int64_t value, int width) {
  return width == 64 ? (uint64_t)value
                     : (uint64_t)value & (((uint64_t)1 << width) - 1);
}
/* Whether the exact number `value` has an encoding of `width` bits, be it the
 * signed or the unsigned one. */
static bool fits(int64_t value, int width) {
  if (width == 64)
    return true;
  return value >= -((int64_t)1 << (width - 1)) && value < ((int64_t)1 << width);
}

static bool compare(int predicate, int64_t a, int64_t b, int width) {
  int64_t sa = as_signed(a, width), sb = as_signed(b, width);
  uint64_t ua = as_unsigned(a, width), ub = as_unsigned(b, width);
  switch (predicate) {
  case CMP_EQ:
    return a == b;
  case CMP_NE:
    return a != b;
  case CMP_SLT:
    return sa < sb;
  case CMP_SLE:
    return sa <= sb;
  case CMP_SGT:
    return sa > sb;
  case CMP_SGE:
    return sa >= sb;
  case CMP_ULT:
    return ua < ub;
  case CMP_ULE:
    return ua <= ub;
  case CMP_UGT:
    return ua > ub;
  default:
    return ua >= ub;
  }
}

/* An arithmetic operation on two `width`-bit values. */
static coda_poison binary(int op, int width, int64_t a, int64_t b,
                          int64_t *out) {
  int64_t sa = as_signed(a, width), sb = as_signed(b, width), exact = 0;
  uint64_t ua = as_unsigned(a, width), ub = as_unsigned(b, width);
  switch (op) {
  case OP_ADDI:
  case OP_SUBI:
  case OP_MULI: {
    bool overflow = op == OP_ADDI   ? __builtin_add_overflow(sa, sb, &exact)
                    : op == OP_SUBI ? __builtin_sub_overflow(sa, sb, &exact)
                                    : __builtin_mul_overflow(sa, sb, &exact);
    /* Booleans are added modulo 2: that is how logic is written. */
    if (width != 1 && (overflow || !fits(exact, width)))
      return POISON_OVERFLOW;
    break;
  }
  case OP_DIVSI:
  case OP_REMSI:
  case OP_CEILDIVSI:
  case OP_FLOORDIVSI: {
    if (sb == 0)
      return POISON_DIVISION;
    if (sb == -1) {
      if (op == OP_REMSI) {
        exact = 0;
      } else if (__builtin_sub_overflow((int64_t)0, sa, &exact) ||
                 !fits(exact, width)) {
        return POISON_OVERFLOW;
      }
      break;
    }
    int64_t quotient = sa / sb, remainder = sa % sb;
    if (op == OP_REMSI)
      exact = remainder;
    else if (op == OP_CEILDIVSI)
      exact = quotient + (remainder && (remainder > 0) == (sb > 0));
    else if (op == OP_FLOORDIVSI)
      exact = quotient - (remainder && (remainder > 0) != (sb > 0));
    else
      exact = quotient;
    break;
  }
  case OP_DIVUI:
  case OP_REMUI:
  case OP_CEILDIVUI:
    if (ub == 0)
      return POISON_DIVISION;
    exact = (int64_t)(op == OP_REMUI
                          ? ua % ub
                          : ua / ub + (op == OP_CEILDIVUI && ua % ub != 0));
    break;
  case OP_ANDI:
    exact = a & b;
    break;
  case OP_ORI:
    exact = a | b;
    break;
  case OP_XORI:
    exact = a ^ b;
    break;
  case OP_SHLI:
    if (ub >= (uint64_t)width)
      return POISON_SHIFT;
    exact = (int64_t)((uint64_t)sa << ub);
    if (width != 1 && (exact >> ub != sa || !fits(exact, width)))
      return POISON_OVERFLOW;
    break;
  case OP_SHRSI:
  case OP_SHRUI:
    if (ub >= (uint64_t)width)
      return POISON_SHIFT;
    exact = op == OP_SHRSI ? sa >> ub : (int64_t)(ua >> ub);
    break;
  case OP_MINSI:
    exact = sa < sb ? a : b;
    break;
  case OP_MAXSI:
    exact = sa > sb ? a : b;
    break;
  case OP_MINUI:
    exact = ua < ub ? a : b;
    break;
  default: /* OP_MAXUI */
    exact = ua > ub ? a : b;
    break;
  }
  *out = sign_extend((uint64_t)exact, width);
  return POISON_NONE;
}

/* A conversion from the width of the operand to that of the result. */
static coda_poison convert(int op, int from, int to, int64_t a, int64_t *out) {
  if (op == OP_TRUNCI) {
    /* A size that is cut off would be a wrong kernel. */
    if (!fits(as_signed(a, from), to))
      return POISON_TRUNCATION;
    *out = sign_extend((uint64_t)a, to);
    return POISON_NONE;
  }
  *out = sign_extend(
      op == OP_EXTSI ? (uint64_t)as_signed(a, from) : as_unsigned(a, from), to);
  return POISON_NONE;
}

int64_t coda_stride(const coda_value *value, int32_t dimension) {
  if (value->strides)
    return value->strides[dimension];
  int64_t stride = 1;
  for (int32_t i = value->rank - 1; i > dimension; --i)
    /* Cannot overflow where the matrix is not empty: that was checked. */
    stride = (int64_t)((uint64_t)stride * (uint64_t)value->shape[i]);
  return stride;
}

void coda_evaluate(const coda_function *function, const coda_value *arguments,
                   void *const *buffers, bool late, const coda_frame *frame) {
  int64_t *values = frame->values;
  uint8_t *poison = frame->poison;
  const int32_t *order = late ? function->late : function->early;
  int32_t count = late ? function->late_count : function->early_count;
  for (int32_t next = 0; next < count; ++next) {
    int32_t i = order[next];
    const coda_expr *e = &function->values[i];
    int64_t out = 0;
    coda_poison bad = POISON_NONE;
    switch (e->op) {
    case OP_SIZE:
      out = arguments[e->a].shape[e->b];
      break;
    case OP_STRIDE:
      out = coda_stride(&arguments[e->a], e->b);
      break;
    case OP_POINTER:
      out = (int64_t)(uintptr_t)arguments[e->a].u.data;
      break;
    case OP_BUFFER:
      out = (int64_t)(uintptr_t)buffers[e->a];
      break;
    case OP_SCALAR:
      out = sign_extend((uint64_t)arguments[e->a].u.integer, e->width);
      break;
    case OP_MULTIPROCESSOR_COUNT:
      out = function->module->multiprocessor_count;
      break;
    case OP_MODULE_CONSTANT:
      out = (int64_t)function->module->constants[e->a].address;
      break;
    case OP_CMPI:
      bad = poison[e->a] ? poison[e->a] : poison[e->b];
      if (!bad)
        out = compare(e->predicate, values[e->a], values[e->b],
                      function->values[e->a].width);
      break;
    case OP_SELECT: {
      /* What is not chosen need not have a value. */
      int32_t chosen = values[e->a] ? e->b : e->c;
      bad = poison[e->a] ? poison[e->a] : poison[chosen];
      out = values[chosen];
      break;
    }
    case OP_EXTSI:
    case OP_EXTUI:
    case OP_TRUNCI:
      bad = poison[e->a];
      if (!bad)
        bad = convert(e->op, function->values[e->a].width, e->width,
                      values[e->a], &out);
      break;
    case OP_ANDI:
    case OP_ORI:
      /* A side that decides a condition alone makes the other one irrelevant,
       * so that "not empty and size / divisor > 1" can be written. */
      if (e->width == 1) {
        int64_t decides = e->op == OP_ORI;
        if ((!poison[e->a] && values[e->a] == decides) ||
            (!poison[e->b] && values[e->b] == decides)) {
          out = decides;
          break;
        }
      }
      __attribute__((fallthrough));
    default:
      bad = poison[e->a] ? poison[e->a] : poison[e->b];
      if (!bad)
        bad = binary(e->op, e->width, values[e->a], values[e->b], &out);
      break;
    }
    values[i] = bad ? 0 : out;
    poison[i] = (uint8_t)bad;
  }
}

coda_status coda_read(const coda_function *function, const coda_frame *frame,
                      int32_t index, const char *what, int64_t *value,
                      const coda_message *message) {
  static const char *const reasons[] = {
      "", "does not fit its integer type", "divides by zero",
      "shifts by more than the width of its type",
      "does not fit the narrower type it is converted to"};
  *value = frame->values[index];
  if (!frame->poison[index])
    return CODA_OK;
  return coda_fail(message, CODA_OVERFLOW,
                   "function '%s': %s (value %d) cannot be computed for these "
                   "arguments: it %s",
                   function->name, what, (int)index,
                   reasons[frame->poison[index]]);
}

coda_status coda_holds(const coda_function *function, const coda_frame *frame,
                       const coda_when *when, bool *holds,
                       const coda_message *message) {
  *holds = true;
  for (int32_t i = 0; i < when->count; ++i) {
    int64_t value;
    coda_status status = coda_read(function, frame, when->values[i],
                                   "a condition", &value, message);
    if (status)
      return status;
    if (!value) {
      *holds = false;
      return CODA_OK;
    }
  }
  return CODA_OK;
}

coda_status coda_run_checks(const coda_function *function,
                            const coda_frame *frame, bool late,
                            const coda_message *message) {
  for (int32_t i = 0; i < function->check_count; ++i) {
    const coda_check *check = &function->checks[i];
    if (check->late != late)
      continue;
    bool holds;
    coda_status status =
        coda_holds(function, frame, &check->when, &holds, message);
    if (status)
      return status;
    if (!holds)
      continue;
    int64_t value;
    status =
        coda_read(function, frame, check->value, "a check", &value, message);
    if (status)
      return status;
    if (!value)
      return coda_fail(message, CODA_CHECK_FAILED, "function '%s': %s",
                       function->name, check->message);
  }
  return CODA_OK;
}
