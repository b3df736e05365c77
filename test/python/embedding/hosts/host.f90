! Calls kernels and prints the error of a wrong call.
program host
  use kernels
  implicit none
  real(c_float), target :: a(4, 9, 2), b(9, 7), c(4, 7, 2)
  complex(c_float_complex), target :: x(37)
  character(kind=c_char) :: message(200)
  type(kernels_gemm_args) :: args
  type(kernels_scale_c32_args) :: scaling

  a = 1
  b = 2
  c = 3
  args%alpha = 0.5
  args%beta = 1
  args%a = c_loc(a)
  args%a_shape0 = 4
  args%a_shape2 = 2
  args%a_stride1 = 4
  args%a_stride2 = 36
  args%b = c_loc(b)
  args%c = c_loc(c)
  args%c_shape0 = 4
  args%c_shape2 = 2
  args%c_stride1 = 4
  args%c_stride2 = 28
  args%groups = 2
  if (kernels_gemm_check(args, message, size(message, kind=c_size_t)) /= 0) stop 1
  call kernels_gemm(args, 0_c_int64_t, args%groups)
  print '(f0.1, 1x, f0.1)', minval(c), maxval(c)

  args%groups = 3
  if (kernels_gemm_check(args, message, size(message, kind=c_size_t)) == 0) stop 2
  print '(200a)', message(:findloc(message, c_null_char, dim=1) - 1)

  x = (1, 1)
  scaling%a = (0, 2)
  scaling%x = c_loc(x)
  if (kernels_scale_c32_check(scaling, message, size(message, kind=c_size_t)) /= 0) stop 3
  call kernels_scale_c32(scaling, 0_c_int64_t, 1_c_int64_t)
  print '(f0.1, 1x, f0.1)', x(37)
end program
