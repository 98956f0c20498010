"builtin.module"() <{sym_name = "fft"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}], function_type = (tensor<16x64xcomplex<f32>>) -> tensor<16x64xcomplex<f32>>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x64xcomplex<f32>>):
    %0 = "stablehlo.fft"(%arg0) <{fft_length = array<i64: 64>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<16x64xcomplex<f32>>) -> tensor<16x64xcomplex<f32>>
    %1 = "stablehlo.negate"(%0) : (tensor<16x64xcomplex<f32>>) -> tensor<16x64xcomplex<f32>>
    "func.return"(%1) : (tensor<16x64xcomplex<f32>>) -> ()
  }) : () -> ()
}) : () -> ()
