/* SPDX-License-Identifier: BSD-3-Clause */
/* AMX of processors that have none: a handler of SIGILL executes its instructions, with
   tiles of each thread. The system's permission is granted, unless AMX_REFUSED is set,
   where this is preloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <xmmintrin.h>

enum { TILES = 8, ROWS = 16, ROW_BYTES = 64, CONFIGURATION_BYTES = 64 };

static _Thread_local struct {
  uint8_t palette, start, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} shapes;
static _Thread_local uint8_t tiles[TILES][ROWS][ROW_BYTES];

/* Instructions that have been executed, and those of them that load a configuration. */
long amx_instructions, amx_configurations;

static void fail(const char *message) {
  (void)!write(2, message, strlen(message));
  _exit(86);
}

static float widen(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float number;
  memcpy(&number, &wide, sizeof number);
  return number;
}

/* One element of tdpbf16ps: two chains of fused multiply-adds from zero, added up, then
 * to the sum. */
static void add_bf16(float *sum, const uint8_t *a, const uint8_t (*b)[ROW_BYTES],
                     int column, int words) {
  float even = 0, odd = 0;
  for (int k = 0; k < words; ++k) {
    uint16_t x[2], y[2];
    memcpy(x, a + 4 * k, sizeof x);
    memcpy(y, &b[k][4 * column], sizeof y);
    even = fmaf(widen(x[0]), widen(y[0]), even);
    odd = fmaf(widen(x[1]), widen(y[1]), odd);
  }
  *sum += even + odd;
}

/* One element of tdpb[su][su]d. */
static void add_bytes(uint32_t *sum, const uint8_t *a, const uint8_t (*b)[ROW_BYTES],
                      int column, int words, int is_a_signed, int is_b_signed) {
  for (int k = 0; k < 4 * words; ++k) {
    const uint8_t y = b[k / 4][4 * column + k % 4];
    *sum += (is_a_signed ? (int8_t)a[k] : a[k]) * (is_b_signed ? (int8_t)y : y);
  }
}

static __attribute__((noinline)) void multiply(int c, int a, int b, int opcode,
                                               int prefix) {
  const int rows = shapes.rows[c], columns = shapes.row_bytes[c] / 4,
            words = shapes.row_bytes[a] / 4;
  if (rows == 0 || shapes.rows[a] != rows ||
      shapes.row_bytes[b] != shapes.row_bytes[c] || shapes.rows[b] != words || a == b ||
      a == c || b == c)
    fail("AMX: expected tiles whose shapes fit\n");
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      void *element = &tiles[c][i][4 * j];
      const uint8_t (*factor)[ROW_BYTES] = (const uint8_t (*)[ROW_BYTES])tiles[b];
      if (opcode == 0x5e)
        add_bytes(element, tiles[a][i], factor, j, words, prefix & 2, prefix & 1);
      else if (prefix == 2)
        add_bf16(element, tiles[a][i], factor, j, words);
      else
        fail("AMX: expected a product of bf16 or of bytes\n");
    }
}

static void check_shape(int tile) {
  if (tile >= TILES || shapes.rows[tile] == 0)
    fail("AMX: expected a tile with a shape\n");
}

static void move(int tile, uint8_t *address, int64_t stride, int is_store) {
  check_shape(tile);
  if (!is_store)
    memset(tiles[tile], 0, sizeof tiles[tile]);
  for (int i = 0; i < shapes.rows[tile]; ++i) {
    uint8_t *row = address + i * stride;
    memcpy(is_store ? row : tiles[tile][i], is_store ? tiles[tile][i] : row,
           shapes.row_bytes[tile]);
  }
}

static void configure(const void *address) {
  memset(&shapes, 0, sizeof shapes);
  memset(tiles, 0, sizeof tiles);
  if (!address)
    return;
  memcpy(&shapes, address, sizeof shapes);
  for (int i = 0; i < 16; ++i)
    if (shapes.rows[i] > (i < TILES ? ROWS : 0) ||
        shapes.row_bytes[i] > (i < TILES ? ROW_BYTES : 0))
      fail("AMX: expected shapes of eight tiles\n");
  if (shapes.palette != 1)
    fail("AMX: expected the palette 1\n");
  ++amx_configurations;
}

static const int registers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                  REG_R12, REG_R13, REG_R14, REG_R15};

struct operands {
  int mode, reg, rm, length;
  uint8_t *address;
  int64_t stride;
};

/* Reads what follows the opcode at `code`: ModRM, SIB and displacement. */
static struct operands decode(const uint8_t *code, const greg_t *values) {
  const int is_r = !(code[1] & 0x80), is_x = !(code[1] & 0x40),
            is_b = !(code[1] & 0x20), modrm = code[4];
  struct operands found = {modrm >> 6, (modrm >> 3 & 7) | is_r << 3, modrm & 7, 5, NULL,
                           0};
  if (found.mode == 3)
    return found;
  int64_t address = 0;
  int base = found.rm | is_b << 3, has_base = 1, is_relative = 0;
  if (found.rm == 4) {
    const int sib = code[found.length++], index = (sib >> 3 & 7) | is_x << 3;
    base = (sib & 7) | is_b << 3;
    if (index != 4)
      found.stride = (int64_t)values[registers[index]] << (sib >> 6);
    has_base = (sib & 7) != 5 || found.mode != 0;
  } else if (found.rm == 5 && found.mode == 0) {
    has_base = 0;
    is_relative = 1;
  }
  if (found.mode == 1) {
    address = (int8_t)code[found.length++];
  } else if (found.mode == 2 || !has_base) {
    int32_t displacement;
    memcpy(&displacement, code + found.length, sizeof displacement);
    found.length += 4;
    address = displacement;
  }
  if (is_relative)
    address += values[REG_RIP] + found.length;
  if (has_base)
    address += values[registers[base]];
  found.address = (uint8_t *)address;
  return found;
}

/* Executes an instruction with the opcode and the prefix of AMX; 0 if it is none. */
static int execute(int opcode, int prefix, int third, const struct operands *operands) {
  const int is_in_memory = operands->mode != 3;
  if ((opcode == 0x5c || opcode == 0x5e) && !is_in_memory)
    multiply(operands->reg, operands->rm, third, opcode, prefix);
  else if (opcode == 0x49 && is_in_memory && prefix == 0)
    configure(operands->address);
  else if (opcode == 0x49 && is_in_memory && prefix == 1)
    memcpy(operands->address, &shapes, CONFIGURATION_BYTES);
  else if (opcode == 0x49 && !is_in_memory && prefix == 0)
    configure(NULL);
  else if (opcode == 0x49 && !is_in_memory && prefix == 3) {
    check_shape(operands->reg);
    memset(tiles[operands->reg], 0, sizeof tiles[operands->reg]);
  } else if (opcode == 0x4b && is_in_memory && prefix != 0)
    move(operands->reg, operands->address, operands->stride, prefix == 2);
  else
    return 0;
  return 1;
}

static void handle(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  greg_t *values = ((ucontext_t *)context)->uc_mcontext.gregs;
  const uint8_t *code = (const uint8_t *)values[REG_RIP];
  if (code[0] == 0xc4 && (code[1] & 31) == 2 && !(code[2] & 0x84)) {
    const struct operands operands = decode(code, values);
    const unsigned control = _mm_getcsr();
    _mm_setcsr(0x9fc0); /* subnormal numbers are 0, to nearest */
    const int is_done = execute(code[3], code[2] & 3, (~code[2] >> 3) & 15, &operands);
    _mm_setcsr(control);
    if (is_done) {
      __atomic_add_fetch(&amx_instructions, 1, __ATOMIC_RELAXED);
      values[REG_RIP] += operands.length;
      return;
    }
  }
  signal(SIGILL, SIG_DFL);
}

__attribute__((constructor)) static void start(void) {
  struct sigaction action = {.sa_sigaction = handle,
                             .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGILL, &action, NULL);
}

/* Answers arch_prctl's requests for the data of tiles; all else is the system's. */
long syscall(long number, ...) {
  long values[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i)
    values[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_arch_prctl && values[0] == 0x1023 && values[1] == 18)
    return getenv("AMX_REFUSED") ? -1 : 0;
  long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return next(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}
