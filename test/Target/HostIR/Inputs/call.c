/* Calls what `coda-compile --emit=host` wrote, as a C program would. */

#include <stdint.h>
#include <stdio.h>

typedef struct {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} matrix;

int32_t linear(matrix *x, matrix *w, matrix *y, void *stream, char *message,
               size_t message_size);

static int call(int64_t columns) {
  matrix x = {NULL, (void *)0x1000, 16, {300, 64}, {64, 1}};
  matrix w = {NULL, (void *)0x80000, 0, {64, columns}, {columns, 1}};
  matrix y = {0};
  char message[256] = "";
  int32_t status = linear(&x, &w, &y, (void *)7, message, sizeof message);
  printf("status %d %s\n", (int)status, message);
  if (!status)
    printf("result %p offset %d sizes %d %d strides %d %d\n", y.aligned,
           (int)y.offset, (int)y.sizes[0], (int)y.sizes[1], (int)y.strides[0],
           (int)y.strides[1]);
  return status;
}

int main(void) {
  call(32);
  call(31);
  return 0;
}
