"builtin.module"() <{sym_name = "described_op"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}], function_type = (tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x16xcomplex<f32>>):
    %0 = "stablehlo.fft"(%arg0) <{fft_length = array<i64: 16>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>>
    "func.return"(%0) : (tensor<16x16xcomplex<f32>>) -> ()
  }) : () -> ()
}) : () -> ()
