/* Calls a function that multiplies with a constant. */

#include <stdint.h>
#include <stdio.h>

typedef struct {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} matrix;

int32_t product(matrix *x, matrix *y, void *stream, char *message,
                size_t message_size);

int main(void) {
  matrix x = {NULL, (void *)0x1000, 0, {300, 64}, {64, 1}}, y = {0};
  char message[256] = "";
  int32_t status = product(&x, &y, (void *)7, message, sizeof message);
  printf("status %d %s\n", (int)status, message);
  return 0;
}
