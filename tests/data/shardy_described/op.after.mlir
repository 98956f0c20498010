"builtin.module"() <{sym_name = "described_op"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}], function_type = (tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<16x16xcomplex<f32>>):
    %1 = "stablehlo.fft"(%0) <{fft_length = array<i64: 16>, fft_type = #stablehlo<fft_type FFT>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=16, j=16}, custom>} : (tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>>
    "func.return"(%1) : (tensor<16x16xcomplex<f32>>) -> ()
  }) : () -> ()
}) : () -> ()
