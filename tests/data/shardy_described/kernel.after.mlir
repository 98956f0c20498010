"builtin.module"() <{sym_name = "described_kernel"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}], function_type = (tensor<8x16xf32>, tensor<16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<8x16xf32>, %1: tensor<16xf32>):
    %2 = "stablehlo.custom_call"(%0, %1) <{call_target_name = "rms_norm"}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j])->([i, j]) {i=8, j=16}, custom>} : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    %3 = "stablehlo.custom_call"(%0, %1) <{call_target_name = "l2_norm"}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j])->([i, j]) {i=8, j=16}, custom>} : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    "func.return"(%2, %3) : (tensor<8x16xf32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
