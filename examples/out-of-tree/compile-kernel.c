/* Compiles a file of MLIR to SPIR-V and prints the manifest of its kernels:
 *
 *   compile-kernel kernel.mlir kernel.spv [target]
 */

#include "lib/CAPI/TinyTC.h"

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#include <stdio.h>
#include <stdlib.h>

static char *readFile(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*length + 1);
  *length = fread(text, 1, *length, file);
  text[*length] = '\0';
  fclose(file);
  return text;
}

static void writeSPIRV(MlirStringRef bytes, void *path) {
  FILE *file = fopen((const char *)path, "wb");
  if (!file)
    return;
  fwrite(bytes.data, 1, bytes.length, file);
  fclose(file);
}

static void printManifest(MlirStringRef text, void *path) {
  (void)path;
  printf("%.*s\n", (int)text.length, text.data);
}

static void printError(MlirStringRef text, void *data) {
  (void)data;
  fprintf(stderr, "%.*s\n", (int)text.length, text.data);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s kernel.mlir kernel.spv [target]\n", argv[0]);
    return 2;
  }
  size_t length = 0;
  char *text = readFile(argv[1], &length);
  if (!text) {
    fprintf(stderr, "expected a file that can be read, got %s\n", argv[1]);
    return 1;
  }
  MlirContext context = mlirContextCreate();
  mlirDialectHandleRegisterDialect(mlirGetDialectHandle__tinytc__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__tinytc__(), context);
  mlirTinyTCRegisterPasses();

  int status = 1;
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreate(text, length));
  if (!mlirModuleIsNull(module)) {
    MlirPassManager passes = mlirPassManagerCreate(context);
    char pipeline[256];
    snprintf(pipeline, sizeof pipeline, "lower-to-spirv{target=%s}",
             argc > 3 ? argv[3] : "cpu");
    MlirOperation operation = mlirModuleGetOperation(module);
    MlirOpPassManager manager = mlirPassManagerGetAsOpPassManager(passes);
    if (mlirLogicalResultIsSuccess(mlirOpPassManagerAddPipeline(
            manager, mlirStringRefCreateFromCString(pipeline), printError, NULL)) &&
        mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(passes, operation)) &&
        mlirLogicalResultIsSuccess(
            mlirTinyTCEmit(operation, writeSPIRV, printManifest, argv[2])))
      status = 0;
    mlirPassManagerDestroy(passes);
    mlirModuleDestroy(module);
  }
  mlirContextDestroy(context);
  free(text);
  return status;
}
