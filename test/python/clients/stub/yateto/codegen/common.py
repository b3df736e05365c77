"""The wrapper of a kernel for batches."""

import collections
import hashlib

TEMPLATE = """{prototype} {{
  struct built {{
    sycl::kernel kernel;
    sycl::range<3u> size;
  }};
  auto &queue = *static_cast<sycl::queue *>(streamPtr);
  static const built once = [&]() -> built {{
    const std::string source = R"tinytc(
{source})tinytc";
    std::string messages;
    try {{
      auto context = tinytc::create_compiler_context();
      tinytc::set_error_reporter(
          context.get(),
          [](char const *what, const tinytc_location_t *, void *all) {{
            *static_cast<std::string *>(all) += what;
          }},
          &messages);
      auto program = tinytc::parse_string(source, context.get());
      auto bundle = tinytc::create_kernel_bundle(queue.get_context(), queue.get_device(),
                                                 program.get(), 0);
      auto kernel = tinytc::create_kernel(bundle, "{kernel}");
      auto size = tinytc::get_group_size(kernel);
      return {{std::move(kernel), std::move(size)}};
    }} catch (tinytc::status const &status) {{
      throw std::runtime_error(messages.empty() ? tinytc::to_string(status) : messages);
    }}
  }}();
  queue.submit([&](sycl::handler &handler) {{
    handler.set_args({arguments});
    const std::size_t elements = numElements;
    handler.parallel_for(
        sycl::nd_range{{tinytc::get_global_size({{1, 1, elements}}, once.size), once.size}},
        once.kernel);
  }});
}}
"""


Function = collections.namedtuple("Function", "name text")


class BatchedOperationsAux:
    NUM_ELEMENTS_NAME = "numElements"
    EXTRA_OFFSET_NAME = "extraOffset"
    STREAM_PTR_NAME = "streamPtr"


class TinytcKernelArgument:
    def __init__(self, name, datatype, call_expr, constant, temporary, modified, offset=0):
        self.name, self.datatype, self.call_expr = name, datatype, call_expr
        self.constant, self.temporary, self.modified = constant, temporary, modified


class TinytcScalarKernelArgument:
    def __init__(self, name, datatype, call_expr):
        self.name, self.datatype, self.call_expr = name, datatype, call_expr


class TinytcWrapper:
    def __init__(self, kernel, arguments, name=""):
        self.kernel_name, self.source = kernel.name, kernel.text
        digits = hashlib.sha512(self.source.encode()).hexdigest()
        self.name = name or f"tinytc_wrapper_{digits}"
        self._declared, self._passed, self._called = ["long numElements", "void *streamPtr"], [], []
        for argument in arguments:
            self._add(argument)

    def _add(self, argument):
        if isinstance(argument, TinytcScalarKernelArgument):
            type_, is_batch, is_group = argument.datatype, False, False
        else:
            is_batch = not argument.constant
            is_group = is_batch and not argument.temporary
            const = "" if argument.modified or argument.temporary else " const"
            type_ = f"{argument.datatype}{const} *{'*' * is_group}"
        self._declared.append(f"{type_} {argument.name}")
        self._passed += [argument.name, *["numElements"] * is_batch]
        self._called.append(argument.call_expr)
        if is_group:
            self._declared.append(f"long extraOffset_{argument.name}")
            self._passed.append(f"extraOffset_{argument.name}")
            self._called.append(f"extraOffset_{argument.call_expr}")

    def prototype(self):
        return f"void {self.name}({', '.join(self._declared)});"

    def definition(self):
        return TEMPLATE.format(
            prototype=self.prototype()[:-1],
            source=self.source,
            kernel=self.kernel_name,
            arguments=", ".join(self._passed),
        )

    def call(self):
        return f"{self.name}(numElements, streamPtr, {', '.join(self._called)});"
